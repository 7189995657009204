// Owns which fields of an object are shown, and which of them lead to other records.
import { useMemo } from 'react'
import { leadsToRecord } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { displayFieldOf, fieldList, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'

/** Most paths one request expands. @source D-87 */
const maxExpand = 10

/** The shown fields; links know which field of their object stands for a record. */
export function useShownFields(object: ObjectItem): FieldDefinition[] {
  const { data: objects } = useObjects()
  return useMemo(
    () =>
      fieldList(object)
        .filter((field) => !field.hidden)
        .map((field) => {
          const target = field.reference ? objects?.find((other) => other.name === field.reference) : undefined
          return target ? { ...field, displayField: displayFieldOf(target) } : field
        }),
    [object, objects],
  )
}

/** Names of the fields whose linked records are asked for instead of their ids. */
export function linkFields(fields: readonly FieldDefinition[]): string[] {
  return fields
    .filter(({ type }) => leadsToRecord(type))
    .slice(0, maxExpand)
    .map((field) => field.name)
}
