// Owns how an address names a record: beside its table (`rec`), or on a page of its own; and which part of it is open.
// Pure.

/** What the search part of an address says of a record. */
export interface RecordAddress {
  /** Id of the record that is open beside the table. */
  rec: string | undefined
  /** Part of the record that is open. */
  tab: string | undefined
  /** Entry of the activity a link leads to. */
  item: string | undefined
  /** The rest: what the table shows. */
  view: string
}

/** Reads the search part of an address. */
export function readRecordAddress(search: string): RecordAddress {
  const params = new URLSearchParams(search)
  const rec = params.get('rec') ?? undefined
  const tab = params.get('tab') ?? undefined
  const item = params.get('item') ?? undefined
  for (const name of ['rec', 'tab', 'item']) params.delete(name)
  return { rec, tab, item, view: params.toString() }
}

/** Path of a table with what it shows, and with the record that is open beside it. */
export function tablePath(object: string, { view, rec, tab }: Omit<Partial<RecordAddress>, 'item'>): string {
  return pathWith(`/o/${object}`, view, { rec, tab: rec === undefined ? undefined : tab })
}

/** Path of the page of a record; `view` is what the table it was opened from shows. */
export function recordPath(
  object: string,
  id: string,
  { view, tab }: Omit<Partial<RecordAddress>, 'rec' | 'item'> = {},
): string {
  return pathWith(`/o/${object}/record/${id}`, view, { tab })
}

function pathWith(path: string, view: string | undefined, more: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams(view)
  for (const [name, value] of Object.entries(more)) if (value !== undefined) params.set(name, value)
  return params.size > 0 ? `${path}?${params.toString()}` : path
}
