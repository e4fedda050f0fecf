"""What a program does in the turns of our handler, as strace sees it."""


def traced(profiler, argv):
    """How a sampled program ended, and the lines of strace's output."""
    return profiler.straced(argv, events="task-clock:u", period=200000, collect="yes", notify="sigtrap",
                            coarse="no")  # strace switches to itself at every stop


def calls_in_turns(lines):
    """(number of the handler's turns, system calls made in them) of what strace wrote."""
    turns, inside, calls = 0, False, []
    for line in lines:
        if line.startswith("--- SIGTRAP"):
            turns, inside = turns + 1, True
        elif line.startswith("rt_sigreturn"):
            inside = False
        elif inside:
            calls.append(line)
    return turns, calls
