/*
 * The JSON text is made in memory, because its length precedes it in the data.
 */
#include "runtime/output/page/difference_page.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/compare/comparison.h"
#include "runtime/output/page/page_asset.h"
#include "runtime/output/page/viewer_shell.h"

#define TITLE_BYTES 1024

static int write_data(const char *text, size_t length, FILE *file)
{
	struct gzip *gzip;
	int err = gzip_new_base64(file, &gzip);

	if (err)
		return err;
	viewer_shell_pack(gzip, text, length);
	return gzip_free(gzip);
}

int difference_page_write(const struct comparison *comparison,
			  const struct tree_changes *const *trees, FILE *file)
{
	char title[TITLE_BYTES];
	char *text = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);
	int err;

	if (!memory)
		return -ENOMEM;
	err = difference_page_json(comparison, trees, memory);
	if (ferror(memory) && !err)
		err = -ENOMEM;
	if ((fclose(memory) || length > UINT32_MAX) && !err)
		err = -ENOMEM;
	if (!err) {
		snprintf(title, sizeof(title), "%s \xe2\x86\x92 %s", comparison->label[0],
			 comparison->label[1]);
		viewer_shell_begin(title, page_asset_difference_style, file);
		err = write_data(text, length, file);
	}
	free(text);
	if (err)
		return err;
	viewer_shell_end(page_asset_difference_script, file);
	return ferror(file) ? -EIO : 0;
}
