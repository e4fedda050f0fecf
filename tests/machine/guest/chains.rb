# The work of chains.py.
def work(rounds)
  total = i = 0
  while i < rounds
    total += i & 7
    i += 1
  end
  total
end

def light(unit)
  work(unit)
end

def heavy(unit)
  work(3 * unit)
end

def key_of(unit)
  work(unit)
end

def in_order(unit)
  [unit, unit].sort_by { |one| key_of(one) }
end

def deep(left, unit)
  left > 0 ? deep(left - 1, unit) : light(unit)
end

def main(unit)
  5.times do
    deep(9, unit)
    heavy(unit)
    in_order(unit)
  end
end

main(Integer(ARGV[0]))
puts 'worked'
