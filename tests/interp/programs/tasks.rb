# Programs whose profiles are known: tasks.rb TASK

def burn(count)
  x = 1
  i = 0
  while i < count
    x = (x * 31 + i) % 1000003
    i += 1
  end
  x
end

def heavy = burn(6000)

def light = burn(2000)

# A quarter of the work is in `light`.
def shares
  4000.times do
    heavy
    light
  end
end

def in_first(queue)
  1500.times { burn(2000) }
  queue << :first
end

def in_second(queue)
  1500.times { burn(2000) }
  queue << :second
end

def threads
  queue = Queue.new
  [Thread.new { in_first(queue) }, Thread.new { in_second(queue) }].each(&:join)
  burn(queue.size)
end

def in_fiber
  loop do
    burn(2000)
    Fiber.yield
  end
end

def in_resumer(fiber)
  4000.times do
    burn(2000)
    fiber.resume
  end
end

def fibers
  in_resumer(Fiber.new { in_fiber })
end

def deep(depth)
  depth == 0 ? burn(12_000_000) : deep(depth - 1)
end

def recursion
  deep(400)
end

def in_child
  burn(3_000_000)
end

def children
  2.times do
    fork { in_child }
    Process.wait
  end
end

def in_sleep = 5.times { sleep 0.02 }

def in_read(io) = io.gets

def in_mutex(mutex) = mutex.synchronize { 1 }

def in_queue(queue) = queue.pop

# Three times, because a wait is one sample, and the first ones may meet each other.
def waits = 3.times { wait_once }

def wait_once
  mutex = Mutex.new
  queue = Queue.new
  reader, writer = IO.pipe
  mutex.lock
  threads = [Thread.new { in_sleep }, Thread.new { in_read(reader) },
             Thread.new { in_mutex(mutex) }, Thread.new { in_queue(queue) }]
  Thread.pass until threads.all? { |thread| thread.stop? }
  sleep 0.1
  mutex.unlock
  queue << 1
  writer.puts "x"
  threads.each(&:join)
end

send(ARGV[0])
puts "done"
