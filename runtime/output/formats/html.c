/* The page of a profile. */
#include "runtime/output/formats/format_content.h"
#include "runtime/output/page/viewer_data.h"

int format_html(const struct format_content *content, FILE *file)
{
	return viewer_data_page(content->profile, content->weight, content->page_bytes, file);
}
