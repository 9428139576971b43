-- Notes a replica, and returns how many were noted lately. KEYS[1] replicas by time; ARGV[1] replica,
-- ARGV[2] seconds until one counts as gone
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
