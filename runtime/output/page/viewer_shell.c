/* The security policy lets a page run its own script, and reach nothing else. */
#include "runtime/output/page/viewer_data.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/output/graph/asset.h"
#include "runtime/output/graph/graph_color.h"

/* The scripts are joined with their modules by join.awk. */
ASSET(viewer_script, GENERATED_FOLDER "viewer.js");
ASSET(viewer_style, "runtime/output/page/view/viewer.css");
ASSET(difference_script, GENERATED_FOLDER "difference.js");
ASSET(difference_style, "runtime/output/page/view/difference.css");

void viewer_shell_begin(enum viewer_shell shell, const char *title, FILE *file)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
	      "form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
	      file);
	safe_text_xml(file, title, strlen(title));
	fputs("</title>\n<style>\n", file);
	fputs(viewer_style, file);
	fputs(shell == VIEWER_SHELL_DIFFERENCE ? difference_style : "", file);
	fputs("</style>\n<style id=\"palette\">\n", file);
	graph_color_css(file, GRAPH_COLORS_HOT);
	fputs("</style>\n</head>\n<body class=\"viewer\">\n"
	      "<noscript>This page needs JavaScript.</noscript>\n"
	      "<script type=\"application/octet-stream\" id=\"profile\">",
	      file);
}

void viewer_shell_end(enum viewer_shell shell, FILE *file)
{
	fputs("</script>\n<script>\n", file);
	fputs(shell == VIEWER_SHELL_DIFFERENCE ? difference_script : viewer_script, file);
	fputs("</script>\n</body>\n</html>\n", file);
}

void viewer_shell_pack(struct gzip *gzip, const char *text, size_t length)
{
	static const uint8_t zeros[8];
	uint32_t bytes = htole32((uint32_t)length);

	gzip_write(gzip, &bytes, sizeof(bytes));
	gzip_write(gzip, text, length);
	gzip_write(gzip, zeros, -(sizeof(bytes) + length) & 7);
}
