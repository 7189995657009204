// Shapes that several tools share.
import { z } from 'zod'

/** The argument that names an object. */
export const ObjectName = z.string().max(200).meta({ description: 'Name of the object, as list_objects answers it.' })

/** The argument that names a record. */
export const RecordId = z.string().max(200).meta({ description: 'Id of the record.' })

/** Values by field name. */
export const Values = z.record(z.string(), z.unknown()).meta({ description: 'Values by field name.' })

/** A record as it is shown. */
export const ShownRecord = z.record(z.string(), z.unknown())

/** The argument that names a version. */
export const ExpectedVersion = z
  .string()
  .max(200)
  .optional()
  .meta({ description: 'The updated_at the record had when it was read: the write is refused if it changed since.' })

/** What rules had to say without refusing. */
export const Warnings = z.array(z.looseObject({ message: z.string() })).optional()

/** What limits records in a query. */
export const Filter = z
  .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .optional()
  .meta({
    description:
      'Conditions: {"status": "open", "amount": {"$gt": 100}}, operators $eq $ne $gt $gte $lt $lte $in $nin $contains $startsWith $endsWith $null $between, with $and, $or and $not around them.',
  })

/** The order of records. */
export const Sort = z
  .union([z.string(), z.array(z.unknown())])
  .optional()
  .meta({ description: 'Fields in order, "-" for falling: "-created_at,name".' })
