// The people of a workspace as queries see them: what relation paths and expansions of user fields lead to (D-86, D-87).
// They are no object: nobody creates or lists records of it, and an object of any name may stand beside it.
import { compileObject } from './object-schema.ts'
import type { ObjectSchema } from './object-schema.ts'

const compiled = compileObject({
  name: 'user',
  label: 'User',
  displayNameField: 'name',
  fields: { name: { type: 'text' }, username: { type: 'text' }, email: { type: 'email' }, image: { type: 'url' } },
  enable: { searchable: false },
})

/** The directory; its name is none that an object can have. */
export const userDirectory: ObjectSchema = Object.freeze({
  ...compiled,
  name: '$user',
  uid: '$user',
  table: '_user',
  visibleFields: Object.freeze([compiled.byName.get('id')!, ...compiled.fields]),
})
