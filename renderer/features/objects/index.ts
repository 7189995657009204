// The door of the objects feature: what other features and the frame may use. Screens are loaded by the router itself.
export { displayFieldOf, fieldList, labelsOf, objectLabel, objectPluralLabel } from './object-item.ts'
export type { FieldItem, ObjectItem } from './object-item.ts'
export {
  objectsQuery,
  recordCountQuery,
  refreshObjects,
  refreshRecordCount,
  useObject,
  useObjects,
} from './object-queries.ts'
export { nameFromLabel, uniqueName } from './object-names.ts'
export { hasOptions } from './field-settings.ts'
export { typeLabel } from './field-types.ts'
export { deleteObject } from './delete-object.ts'
export { FieldInPlace } from './field-in-place.tsx'
export type { FieldPlace } from './field-in-place.tsx'
