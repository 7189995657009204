// The objects that records of the model are of. Knows no machine.

/** Objects of the model, by name. */
export const OBJECTS = {
  part: {
    title: { type: 'text' },
    size: { type: 'number' },
    stock: { type: 'number', merge: 'sum' },
    labels: { type: 'tags' },
    notes: { type: 'markdown' },
    no: { type: 'autonumber', autonumberFormat: 'P-{0000}' },
    code: { type: 'text', unique: true },
    next: { type: 'lookup', reference: 'part', deleteBehavior: 'set_null' },
    above: { type: 'tree' },
    double: { type: 'formula', expression: 'record.size * 2' },
  },
  item: {
    title: { type: 'text' },
    size: { type: 'number' },
    part: { type: 'master_detail', reference: 'part' },
  },
  memo: {
    title: { type: 'text' },
    text: { type: 'text' },
    pick: { type: 'select', options: ['red', 'green', 'blue'].map((value) => ({ value, label: value })) },
    mark: { type: 'text' },
    tally: { type: 'number' },
    extra: { type: 'text' },
  },
} as const

/** What parts say of their items; defined once there are items. */
export const sums = {
  total: { type: 'summary', summaryOperations: { object: 'item', field: 'size', function: 'sum' } },
  twice: { type: 'formula', expression: 'record.total * 2' },
} as const

/** A field that only machines of a newer schema know. */
export const newer = { late: { type: 'text' } } as const

/** An object as it is saved. People who may not change what is of others do so with parts. */
export function itemOf(name: string, fields: object): Record<string, unknown> {
  return structuredClone({ name, fields, ...(name === 'part' ? { sharingModel: 'read' } : {}) })
}
