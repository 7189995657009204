// The rows every benchmark uses: the same text, ids and dates on each run and for each server. Knows no server.

/** One row of the fixed table as both servers accept it. */
export interface TaskRow {
  readonly id: string
  readonly title: string
  readonly status: TaskStatus
  readonly priority: number
  readonly done: boolean
  readonly due_date: string
  readonly notes: string
  readonly project: string
}

/** One row of the table the lookup points at. */
export interface ProjectRow {
  readonly id: string
  readonly name: string
}

/** The select options of `task.status`; each fifth of the rows has one. */
export const taskStatuses = ['open', 'in_progress', 'review', 'done', 'cancelled'] as const

/** An option of `task.status`. */
export type TaskStatus = (typeof taskStatuses)[number]

/** How many projects the tasks are spread over. */
export const projectCount = 200

/** Start of the ids' time part, 2026-01-01T00:00:00Z: old enough that ids made during a run sort behind them. */
const idBaseMs = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

/** A repeatable source of numbers in [0, 1); equal seeds give equal sequences. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A fixed UUIDv7 for a place in a series; places of one series sort in their order. */
export function fixedId(series: number, place: number): string {
  const time = (idBaseMs + place).toString(16).padStart(12, '0')
  const tail = (series * 0x1_0000_0000 + place).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`
}

const onsets = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'br', 'st', 'tr']
const vowels = ['a', 'e', 'i', 'o', 'u', 'ei']

/** 2,000 made-up words of two or three syllables; the earlier a word, the more often it is drawn. */
const words: readonly string[] = (() => {
  const random = createRandom(7)
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!
  const found = new Set<string>()
  while (found.size < 2_000) {
    let word = ''
    for (let syllable = random() < 0.5 ? 2 : 3; syllable > 0; syllable--) word += pick(onsets) + pick(vowels)
    found.add(word + pick(['n', 'r', 's', 'l', '']))
  }
  return [...found]
})()

function drawWords(random: () => number, count: number): string {
  const drawn: string[] = []
  for (let index = 0; index < count; index++) drawn.push(words[Math.floor(random() ** 2 * words.length)]!)
  return drawn.join(' ')
}

/** Searches of one and two words, each with matches in tens to thousands of rows at 100,000 rows. */
export const searchTexts: readonly string[] = [
  words[300]!,
  words[900]!,
  words[1_500]!,
  `${words[10]!} ${words[40]!}`,
  `${words[100]!} ${words[5]!}`,
]

/** Searches of one frequent word, each with matches in a tenth to half of the rows. */
export const frequentTexts: readonly string[] = words.slice(0, 4)

/** The projects in id order. */
export function makeProjects(): ProjectRow[] {
  const random = createRandom(11)
  return Array.from({ length: projectCount }, (_, place) => ({
    id: fixedId(1, place),
    name: `Project ${drawWords(random, 2)} ${place + 1}`,
  }))
}

/** Rows `from` (inclusive) to `to` (exclusive) of a series; a row depends on nothing but series and place. */
export function makeTasks(series: number, from: number, to: number): TaskRow[] {
  const rows: TaskRow[] = []
  for (let place = from; place < to; place++) {
    const random = createRandom(place * 31 + series)
    const status = taskStatuses[Math.floor(random() * taskStatuses.length)]!
    rows.push({
      id: fixedId(series, place),
      title: drawWords(random, 3 + Math.floor(random() * 4)),
      status,
      priority: Math.floor(random() * 6),
      done: status === 'done',
      due_date: new Date(idBaseMs + Math.floor(random() * 730) * dayMs).toISOString().slice(0, 10),
      notes: drawWords(random, 15 + Math.floor(random() * 20)),
      project: fixedId(1, Math.floor(random() * projectCount)),
    })
  }
  return rows
}

/** New rows without id; a pool large enough that neighbours differ. */
export const newRows: readonly Omit<TaskRow, 'id'>[] = makeTasks(3, 0, 2_000).map(({ id: _id, ...row }) => row)

/** One changed cell or two, as a person edits: every other change touches the search index. */
export function changesAt(index: number): Partial<TaskRow> {
  if (index % 2 === 0) return { title: `${newRows[index % newRows.length]!.title} ${index}` }
  return { status: taskStatuses[index % taskStatuses.length]!, priority: index % 1_000 }
}

/** The same rows as a CSV text with a header line, without ids; no value needs quotes. */
export function toCsv(rows: readonly TaskRow[]): string {
  const lines = rows.map(
    (row) =>
      `${row.title},${row.status},${row.priority},${String(row.done)},${row.due_date},${row.notes},${row.project}`,
  )
  return `title,status,priority,done,due_date,notes,project\n${lines.join('\n')}\n`
}
