# fish completion of flametrap; made by flametrap help --completion fish.
function __flametrap_command
	set -l words (commandline -opc)
	set -l places 0
	set -e words[1]
	switch "$words[1]"
#@COMMANDS@
		case @VERBS@
			return 1
	end
	while set -q words[1]
		switch $words[1]
			case --
				set words $words[(math $places + 2)..-1]
				break
			case @VALUED@
				set -e words[1]
			case '-*'
			case '*'
				test $places -gt 0; or break
				set places (math $places - 1)
		end
		set -e words[1]
	end
	set -q words[1]; and string escape -- $words; and return
	test $places -eq 0; and return 2; or return 1
end
function __flametrap_hand_over
	set -l words (__flametrap_command)
	set -l found $status
	test $found -eq 1; and return
	test $found -eq 2; and string match -q -- '-*' (commandline -ct); and return
	complete --do-complete=(string join ' ' -- $words (commandline -ct))
end
function __flametrap_verb
	set -l words (commandline -opc)
	set -l verb "$words[2]"
	contains -- "$verb" @VERBS@; or set verb ''
	test "$verb" = "$argv[1]"; and not __flametrap_command >/dev/null
end
complete -c flametrap -n __flametrap_command -f -a '(__flametrap_hand_over)'
#@DESCRIBED@
#@ARGUMENTS@
