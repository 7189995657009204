// What people do to definitions in a schedule: fields are added, renamed, labelled and removed, as an administrator saves
// an object. Fields of the model itself stay. Knows no documents but their names.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { Intent } from './host-journal.ts'
import type { Machine } from './machine.ts'
import { OBJECTS } from './objects.ts'
import type { SchemaStep } from './host-steps.ts'

type Fields = Record<string, Record<string, unknown>>

/** Names are few, so that people ask for the same ones. */
const names = ['extra', 'other', 'third']

/** Fields that were added to the object of the model. */
export function addedFields(machine: Machine): readonly FieldSchema[] {
  const own = new Set([...Object.keys(OBJECTS.part), 'total', 'twice'].map((field) => machine.fieldName('part', field)))
  return machine.metadata.objectSchema('part')!.fields.filter(({ name }) => !own.has(name) && name !== 'late')
}

/** Does what a step says. @throws PlatformError for what a person may not do */
export async function changeSchema(machine: Machine, step: SchemaStep, text: string): Promise<readonly Intent[]> {
  const stored = machine.metadata.get('object', 'part')!
  const fields = { ...(stored.item['fields'] as Fields) }
  const save = async (next: Fields): Promise<void> => {
    const item = { ...structuredClone(stored.item), fields: structuredClone(next) }
    await machine.metadata.save(machine.ctx(), {
      type: 'object',
      name: 'part',
      item,
      authorized: true,
      confirm: 'true',
      // What another machine changed since it was read is nobody's to undo: then nothing is written.
      ifMatch: `"${stored.version}"`,
    })
  }
  const told = (uid: string, key: string, value: unknown): Intent => ({
    doc: `m/object/${stored.uid}`,
    values: { [`field.${uid}.${key}`]: value },
  })
  const name = names[step.n % names.length]!
  if (step.kind === 'addField') {
    if (fields[name] !== undefined) return []
    await save({ ...fields, [name]: { type: 'text', label: text } })
    // By its label: another field of that name may have come meanwhile.
    const now = Object.entries(machine.metadata.get('object', 'part')!.item['fields'] as Fields)
    const [made = ''] = now.find(([, { label }]) => label === text) ?? []
    const uid = machine.metadata.objectSchema('part')!.byName.get(made)?.uid
    return uid === undefined ? [] : [told(uid, '_name', name), told(uid, 'label', text)]
  }
  const added = addedFields(machine)
  const field = added.length === 0 ? undefined : added[step.r % added.length]
  if (field === undefined) return []
  switch (step.kind) {
    case 'renameField': {
      const to = `${name}_${step.n % 2}`
      if (fields[to] !== undefined) return []
      const renamed = Object.entries(fields).map(([one, definition]) =>
        one === field.name ? [to, { ...definition, renamedFrom: field.name }] : [one, definition],
      )
      await save(Object.fromEntries(renamed) as Fields)
      return [told(field.uid, '_name', to)]
    }
    case 'labelField':
      await save({ ...fields, [field.name]: { ...fields[field.name], label: text } })
      return [told(field.uid, 'label', text)]
    case 'removeField': {
      delete fields[field.name]
      await save(fields)
      return [told(field.uid, '_del', true)]
    }
  }
}
