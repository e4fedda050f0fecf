# Prints a script and all modules that it imports as one function, which defines no global names:
#   awk -v script=FILE -f join.awk
# A module comes after those that it imports, in the order in which it names them, once.  `import` and
# `export` begin a line.  That no two names of one script collide is for the lint to check.

# The path of a module, as a module in this folder names it.
function resolved(folder, name) {
	for (; match(name, /^\.\.?\//); name = substr(name, RLENGTH + 1))
		if (RLENGTH == 3)
			sub(/[^\/]+\/$/, "", folder)
	return folder name
}

function join(path,    folder, line, got, text, importing, others, count, i) {
	if (path in joined)
		return
	joined[path] = 1
	folder = path
	sub(/[^\/]*$/, "", folder)
	while ((got = (getline line < path)) > 0) {
		importing = importing || line ~ /^import /
		if (!importing) {
			sub(/^export /, "", line)
			text = text line "\n"
		} else if (match(line, /'[^']+';$/)) {
			others[++count] = resolved(folder, substr(line, RSTART + 1, RLENGTH - 3))
			importing = 0
		}
	}
	if (got < 0) {
		print "join: cannot read " path >"/dev/stderr"
		exit 1
	}
	close(path)
	for (i = 1; i <= count; i++)
		join(others[i])
	printf "%s", text
}

BEGIN {
	print "(function () {\n'use strict';"
	join(script)
	print "})();"
}
