# What a program may do that a profiler could break: stacks that overflow, children, handlers of
# signals, what runs at the exit, and an exception at the end.

def work(count = 300_000)
  count.times { |number| number * number }
end

def endless(number) = endless(number + 1) + 1

def endless_from_c(number) = [number].each { |one| endless_from_c(one + 1) }

def overflows
  10.times do
    endless(0)
  rescue SystemStackError => error
    puts error.class
  end
  10.times do
    endless_from_c(0)
  rescue SystemStackError => error
    puts error.class
  end
end

def children
  Process.wait(fork { work; exit 7 })
  puts $?.exitstatus
  puts IO.popen([RbConfig.ruby, "--disable=gems", "-e", "puts 6 * 7"], &:read) if defined?(RbConfig)
  puts `echo child`
end

def handlers
  trap("USR1") { work(1000) && puts("handled") }
  Process.kill("USR1", $$)
  work
  trap("USR1", "DEFAULT")
end

def leaps
  Thread.new { Thread.current.report_on_exception = false; work; raise "in a thread" }.join
rescue RuntimeError => error
  puts error.message
ensure
  thread = Thread.new { loop { work(1000) } }
  thread.kill.join
  puts catch(:out) { [1, 2].each { |one| work(1000); throw :out, one } }
end

def continued
  require "continuation"
  again = nil
  count = 0
  callcc { |here| again = here }
  count += 1
  work(1000)
  again.call if count < 5
  puts count
end

def collected
  GC.stress = true
  3.times { "a" + "b" }
  GC.stress = false
  GC.start
  GC.compact if GC.respond_to?(:compact)
  work
end

at_exit { work && puts("at exit") }
overflows
children
handlers
leaps
continued
collected
GC.auto_compact = true if GC.respond_to?(:auto_compact=)
work
GC.start
raise ArgumentError, "the end"
