# Functions that live for a moment, so that others get their addresses.
#
#   reuse.rb ROUNDS [compacted]   each round makes two methods, one calling the other, and drops them

def burn(count)
  x = 1
  count.times { |i| x = (x * 31 + i) % 1000003 }
  x
end

compact = ARGV[1] == "compacted" && GC.respond_to?(:compact)
GC.auto_compact = true if compact && GC.respond_to?(:auto_compact=)
ARGV[0].to_i.times do |number|
  eval <<~CODE
    def outer_#{number}
      inner_#{number} + 1
    end
    def inner_#{number}
      burn(300)
    end
  CODE
  send(:"outer_#{number}")
  self.class.send(:remove_method, :"outer_#{number}", :"inner_#{number}")
  GC.start if number % 40 == 0
  GC.compact if compact && number % 200 == 0
end
puts "done"
