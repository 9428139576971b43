-- A look-up that clients come back for; prices/board.go has the same rules for one process.
-- KEYS[1] its outcome, empty until it has ended, for as long as it is wanted or returned
-- KEYS[2] its owner, for the length of a lease
-- ARGV: ask, owner, ms that it is wanted, ms of a lease, 1 if it may begin
--       hold, owner, ms that it is wanted at least, ms of a lease
--       end, owner, ms to return the outcome (0: not at all), outcome
-- ask returns whether it is owner's, the outcome and its ms; hold for how many ms it is wanted.
local verb, owner = ARGV[1], ARGV[2]
local outcome, held = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])
local ended = outcome and outcome ~= ''
if verb == 'ask' then
  if ended then return {0, outcome, redis.call('PTTL', KEYS[1])} end
  local mine = held == owner or not held and ARGV[5] == '1'
  if held or mine then redis.call('SET', KEYS[1], '', 'PX', ARGV[3]) end
  if mine then redis.call('SET', KEYS[2], owner, 'PX', ARGV[4]) end
  return {mine and 1 or 0, '', 0}
end
if held and held ~= owner then return 0 end
if verb == 'hold' then
  if ended then return 0 end
  local left = redis.call('PTTL', KEYS[1])
  if left < tonumber(ARGV[3]) then
    left = tonumber(ARGV[3])
    if left > 0 then redis.call('SET', KEYS[1], '', 'PX', left) end
  end
  if left > 0 then redis.call('SET', KEYS[2], owner, 'PX', ARGV[4]) end
  return math.max(left, 0)
end
redis.call('DEL', KEYS[1], KEYS[2])
if ARGV[3] ~= '0' then redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[3]) end
return 0
