/** Splits a row into its lines (rows/columns.ts). */
export const splitFunction = `
local function split(row)
  local lines, count, from = {}, 0, 1
  while true do
    local at = string.find(row, '\\n', from, true)
    count = count + 1
    if not at then
      lines[count] = string.sub(row, from)
      return lines
    end
    lines[count] = string.sub(row, from, at - 1)
    from = at + 1
  end
end
`;
