/* What churn loads and unloads: touches a page that is new. */
void churn_touch(char *page);

void churn_touch(char *page)
{
	for (volatile int i = 0; i < 20000; i++)
		;
	*(volatile char *)page = 1;
}
