#compdef flametrap
# zsh completion of flametrap; made by flametrap help --completion zsh.
_flametrap_profiles() {
	local pid rest
	local -a pids
	flametrap list 2>/dev/null </dev/null | while read -r pid rest; do
		[[ $pid == <-> ]] && pids+=($pid)
	done
	_files
	(( $#pids )) && compadd -- $pids
}
_flametrap() {
	local _flametrap_events="@EVENTS@" verb=
	local -a verbs=(
#@DESCRIBED@
	)
	if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
		_describe verb verbs
		_command_names -e
		return
	fi
	case $words[2] in
	@VERBS@)
		verb=$words[2]
		shift words
		(( CURRENT-- )) ;;
	esac
	case $verb in
#@ARGUMENTS@
	esac
}
_flametrap "$@"
