-- Adds how often products were asked for, and returns all that are kept: key, name, times, last time
-- of each, the latest first. Those not asked for since too long, and the oldest of too many, are
-- removed.
-- KEYS: names, times and last times by key. ARGV: oldest time (ms), most products, seconds to keep
-- all, then key, name, times, time (ms) of each product
local names, times, last = KEYS[1], KEYS[2], KEYS[3]
for i = 4, #ARGV, 4 do
  local key = ARGV[i]
  redis.call('HSET', names, key, ARGV[i + 1])
  redis.call('HINCRBY', times, key, ARGV[i + 2])
  local known = redis.call('ZSCORE', last, key)
  if not known or tonumber(known) < tonumber(ARGV[i + 3]) then
    redis.call('ZADD', last, ARGV[i + 3], key)
  end
end
local function remove(keys)
  for _, key in ipairs(keys) do
    redis.call('HDEL', names, key)
    redis.call('HDEL', times, key)
    redis.call('ZREM', last, key)
  end
end
remove(redis.call('ZRANGEBYSCORE', last, '-inf', ARGV[1]))
remove(redis.call('ZRANGE', last, 0, -1 - tonumber(ARGV[2])))
local found = {}
for _, key in ipairs(redis.call('ZREVRANGE', last, 0, -1)) do
  table.insert(found, key)
  table.insert(found, redis.call('HGET', names, key))
  table.insert(found, redis.call('HGET', times, key))
  table.insert(found, redis.call('ZSCORE', last, key))
end
for _, key in ipairs(KEYS) do
  redis.call('EXPIRE', key, ARGV[3])
end
return found
