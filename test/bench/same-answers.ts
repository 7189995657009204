// Checks that both servers answer a request with the same records before their times are compared: a fast wrong
// answer is no figure.
import { isDeepStrictEqual } from 'node:util'
import type { WireRequest } from './load.ts'
import { ask } from './targets.ts'
import type { Target } from './targets.ts'

type Row = Record<string, unknown>

/** The part of a row both servers have; times and owners are each server's own. */
function comparable(row: Row): Row {
  const kept: Row = {}
  for (const [key, value] of Object.entries(row)) {
    if (key === 'project' && value !== null && typeof value === 'object') {
      kept[key] = { id: (value as Row).id, name: (value as Row).name }
    } else if (!['created_at', 'updated_at', 'created_by', 'updated_by', 'owner'].includes(key)) {
      kept[key] = typeof value === 'number' ? Number(value.toPrecision(10)) : value
    }
  }
  return kept
}

const sortKey = (row: Row): string => String(row.id ?? row.status)

/**
 * Asks both and compares the records.
 * @param order `any order` where the ranking is each server's own: then only the number of records is compared
 * @throws Error that shows the first difference
 */
export async function compareAnswers(
  cairn: Target,
  floor: Target,
  request: (target: Target) => WireRequest,
  order: 'same order' | 'any order' = 'same order',
): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [cairn, floor].map(async (target) => {
      const response = await ask(target.server, request(target))
      const rows = (JSON.parse(response.body.toString()) as { records: Row[] }).records.map(comparable)
      // Groups come in each server's own order of options.
      return rows[0]?.id === undefined ? rows.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b))) : rows
    }),
  )
  if (ours!.length === 0) throw new Error('an empty answer cannot be compared')
  if (order === 'any order' && ours!.length === theirs!.length) return
  const at = ours!.findIndex((row, index) => !isDeepStrictEqual(row, theirs![index]))
  if (at < 0 && ours!.length === theirs!.length) return
  throw new Error(
    `the servers differ at record ${at}: ${JSON.stringify(ours![at])} against ${JSON.stringify(theirs![at])}`,
  )
}
