# Calls of many kinds, recorded or to be sampled.
#
#   edges.rb sample SECONDS   works for so much CPU time
#   edges.rb record FILE      writes every pair of neighbours in the stacks that a TracePoint sees:
#                             the caller's name and line, the callee's name; and every method that
#                             it sees, with its class

require "fiber"
require "set"

def burn(count)
  x = 1
  i = 0
  while i < count
    x = (x * 31 + i) % 1000003
    i += 1
  end
  x
end

def key_of(number)
  burn(20)
  -number
end

class Weight
  include Comparable
  attr_reader :grams

  def initialize(grams)
    @grams = grams
  end

  def <=>(other)
    burn(5)
    grams <=> other.grams
  end

  def each_part
    return to_enum(:each_part) unless block_given?
    @grams.times do |part|
      burn(5)
      yield part
    end
  end
end

class Tree
  include Enumerable

  def initialize(*values)
    @values = values
  end

  def each(&block)
    @values.each(&block)
  end

  def method_missing(name, *arguments)
    return super unless name == :not_there
    burn(10)
    arguments.sum
  end

  def respond_to_missing?(name, all = false)
    name == :not_there || super
  end
end

def recursion(depth)
  return burn(5) if depth == 0
  recursion(depth - 1) + 1
end

def mutual_even(number)
  number == 0 || mutual_odd(number - 1)
end

def mutual_odd(number)
  burn(3)
  number != 0 && mutual_even(number - 1)
end

def callbacks_from_c
  [3, 1, 2].sort_by { |n| key_of(n) }
  [3, 1, 2].sort { |a, b| burn(3) && a <=> b }
  [3, 1, 2].map { |n| burn(n) }.each_with_index { |n, i| burn(i + 3) }
  [3, 1, 2].inject { |a, b| burn(5) + a + b }
  { 1 => 2, 3 => 4 }.each_pair { |k, v| burn(k + v) }
  [Weight.new(3), Weight.new(1), Weight.new(2)].max
  Weight.new(1) == Weight.new(2)
  Weight.new(2).clamp(Weight.new(1), Weight.new(3))
  Tree.new(4, 5, 6).map { |n| burn(n) }
  Tree.new(4, 5, 6).each_slice(2) { |a, b| burn(a) }
  Tree.new.not_there(1, 2)
  "a-b-c".gsub(/[a-c]/) { |match| burn(5).to_s }
  3.times { |i| burn(i) }
  1.upto(3) { |i| burn(i) }
  Hash.new { |hash, key| hash[key] = burn(key) }[7]
  %w[bb a].sort_by(&:size).each(&method(:puts_not))
end

def puts_not(word)
  burn(word.size)
end

def procs_and_lambdas
  add = ->(a, b) { burn(5) + a + b }
  add.call(1, 2)
  add.curry[1][2]
  double = proc { |a| burn(3) * a }
  (double >> method(:key_of)).call(2)
  yielding { |a| burn(a) }
  passing(&double)
  :key_of.to_proc.call(self, 3) rescue burn(2)
  send(:key_of, 4)
  public_send(:then) { burn(4) }
  instance_eval { burn(4) }
  Weight.class_eval { Weight.new(1) }
  eval("burn(6)", binding, __FILE__, 900)
  tap { burn(3) }
end

def yielding
  yield 3
  yield 4
end

def passing(&block)
  yielding(&block)
  block.call(2)
end

def raising(depth)
  raise ArgumentError, "deep" if depth == 0
  raising(depth - 1)
ensure
  burn(3)
end

def exceptions
  begin
    raising(3)
  rescue ArgumentError
    burn(10)
  else
    burn(1)
  ensure
    burn(4)
  end
  begin
    [1, 2].each { |n| raising(n) }
  rescue ArgumentError => error
    error.backtrace
  end
  catch(:out) { [1, 2].each { |n| burn(4); throw :out if n == 2 } }
  [1, 2, 3].each { |n| break if burn(n) && n == 2 }
  [1, 2].each { |n| next burn(n) }
  leaving([1, 2])
  Integer("x") rescue burn(3)
  retried = 0
  begin
    retried += 1
    raise "again" if retried < 3
  rescue RuntimeError
    burn(3)
    retry
  end
end

def leaving(numbers)
  numbers.each { |n| return burn(n) if n == 2 }
end

def fibers
  fiber = Fiber.new do |first|
    second = Fiber.yield(burn(first))
    in_fiber(second)
  end
  fiber.resume(5)
  fiber.resume(6)
  numbers = Weight.new(3).each_part
  numbers.next
  numbers.next
  numbers.next
  lazy = (1..Float::INFINITY).lazy.map { |n| burn(n) }.select { |n| burn(2) > 0 }
  lazy.first(3)
  Enumerator.new { |yielder| 3.times { |n| yielder << burn(n) } }.next
end

def in_fiber(number)
  inner = Fiber.new { recursion(3) }
  inner.resume
  burn(number)
end

def metaprogramming
  $made ||= Class.new do
    define_method(:defined_by_block) { |n| burn(n) }
    def with_defaults(a = burn(3), *rest, key: burn(4), **more, &block)
      block ? block.call(a) : rest.size
    end
  end
  made = $made.new
  made.defined_by_block(5)
  made.with_defaults(key: 2) { |a| burn(3) }
  made.method(:with_defaults).unbind.bind(made).call(1)
  made.singleton_class.define_method(:single) { burn(2) }
  made.single
  Object.const_get(:Weight).instance_method(:<=>).bind_call(Weight.new(1), Weight.new(2))
  class_body
end

def class_body
  eval <<~BODY, TOPLEVEL_BINDING, __FILE__, 1000
    class Opened
      BURNT = burn(3) unless const_defined?(:BURNT)
      def self.made = burn(2)
    end
  BODY
  Opened.made
end

def round
  callbacks_from_c
  procs_and_lambdas
  exceptions
  fibers
  metaprogramming
  recursion(30)
  mutual_even(6)
end

def in_thread(enough)
  round until enough.call
end

def cpu
  Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
end

def sample(seconds)
  2.times do |i|
    enough = lambda do
      Thread.current[:end] ||= cpu + seconds / 2
      cpu > Thread.current[:end]
    end
    i == 0 ? Thread.new { in_thread(enough) }.join : in_thread(enough)
  end
end

Place = Struct.new(:file, :name, :line) do
  def to_s
    to_a.join("\t")
  end
end

def place_of(location)
  Place.new(File.basename(location.path || ""), location.label, location.lineno)
end

# A method in C has no place of its own: it has its caller's.  Neither has a fiber's first one.
def without_native(places, native)
  places.each_cons(2).reject do |place, caller|
    native.include?(place.name) && [place.file, place.line] == [caller.file, caller.line]
  end.map(&:first) + places.last(1).reject { |place| place.file.empty? }
end

def traced(point)
  2.times do |i|
    left = 3
    enough = -> { (left -= 1) < 0 }
    $made = nil # what happens only once does so in each recording
    Object.send(:remove_const, :Opened) if Object.const_defined?(:Opened)
    point.enable
    i == 0 ? Thread.new { in_thread(enough) }.join : in_thread(enough)
    point.disable
  end
end

def whole_name(point)
  owner = point.defined_class
  shown = owner.singleton_class? ? point.self : owner
  return point.method_id.to_s if owner == Object || !shown.is_a?(Module) || !shown.name
  "#{shown.name}#{owner.singleton_class? ? "." : "#"}#{point.method_id}"
end

def record(path)
  stacks = Set.new
  native = Set.new
  methods = Set.new
  traced(TracePoint.new(:c_call) { |point| native << point.method_id.to_s })
  traced(TracePoint.new(:call) { |point| methods << whole_name(point) })
  traced(TracePoint.new(:line, :call, :b_call, :class, :return, :b_return, :raise) do
    stacks << caller_locations(1).map { |location| place_of(location) }
  end)
  edges = stacks.flat_map { |places| without_native(places, native).each_cons(2).to_a }.uniq
  File.write(path, edges.map { |callee, caller| "#{caller}\t#{callee}\n" }.join +
                   methods.map { |name| "#{name}\n" }.join)
end

if $PROGRAM_NAME == __FILE__
  GC.disable if ARGV[0] == "record"
  ARGV[0] == "sample" ? sample(ARGV[1].to_f) : record(ARGV[1])
  puts "done"
end
