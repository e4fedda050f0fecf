-- What `make demo` has sqlite3 do: a table of orders is filled, joined, formatted and updated.
create table orders(id integer primary key, customer integer, amount real, note text);
create table customers(id integer primary key, name text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 900000)
  insert into orders select i, i * 7919 % 20011, i % 1000 / 7.0, printf('order %d of %s', i, date('now')) from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20011)
  insert into customers select i, 'customer ' || i from n;
select count(*), round(sum(amount), 2), max(length(name || note)) from orders join customers on customers.id = orders.customer;
select count(*), max(printf('%s owes %.2f', name, amount)) from orders join customers on customers.id = orders.customer;
update orders set amount = amount * 1.19 where customer % 3 = 1;
