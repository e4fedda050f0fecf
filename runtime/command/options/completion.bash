# bash completion of flametrap; made by flametrap help --completion bash.
_flametrap_events="@EVENTS@"
_flametrap_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}
_flametrap_files() {
	local kind
	compopt -o filenames
	for kind; do
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$kind" -- "$word")
	done
}
_flametrap_pids() {
	local pid rest pids=
	[[ $word == *[!0-9]* ]] && return
	while read -r pid rest; do
		[[ $pid == [0-9]* ]] && pids+=" $pid"
	done < <("${COMP_WORDS[0]}" list 2>/dev/null </dev/null)
	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$pids" -- "$word")
}
_flametrap_next() {
	at=$((at + 1))
	while [[ ${COMP_WORDS[at]} == +([=:]) ]]; do
		at=$((at + 2))
	done
}
_flametrap_command() {
	case $verb in
#@COMMANDS@
	*) return 1 ;;
	esac
	while [ "$at" -lt "$COMP_CWORD" ]; do
		case ${COMP_WORDS[at]} in
		--)
			_flametrap_next
			while [ "$places" -gt 0 ] && [ "$at" -lt "$COMP_CWORD" ]; do
				places=$((places - 1))
				_flametrap_next
			done
			break ;;
		@VALUED@)
			[ "${COMP_WORDS[at+1]}" = = ] || _flametrap_next ;;
		-*) ;;
		*)
			[ "$places" -gt 0 ] || break
			places=$((places - 1)) ;;
		esac
		_flametrap_next
	done
	[ "$at" -lt "$COMP_CWORD" ]
}
_flametrap_hand_over() {
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$at"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$at"
	else
		_flametrap_files -f
	fi
}
_flametrap() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb="" at places=0
	COMPREPLY=()
	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case ${COMP_WORDS[1]} in
	@VERBS@)
		[ "$COMP_CWORD" -gt 1 ] && verb=${COMP_WORDS[1]} ;;
	esac
	if _flametrap_command; then
		_flametrap_hand_over
		return
	fi
	case $verb:$before in
#@VALUES@
	*) false ;;
	esac && return
	case $verb:$word in
#@OPTIONS@
#@OPERANDS@
	esac
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "@NAMES@" -- "$word")
	fi
}
complete -F _flametrap flametrap
