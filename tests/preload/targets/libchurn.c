/* The library that churn loads and unloads.  It touches a new page. */
void churn_touch(char *page);

void churn_touch(char *page)
{
	for (volatile int i = 0; i < 20000; i++)
		;
	*(volatile char *)page = 1;
}
