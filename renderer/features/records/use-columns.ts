// Owns the columns of the grid: the shown fields with the widths a person gave them.
import { useCallback, useMemo, useState } from 'react'
import type { GridColumn } from '../../components/grid/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { defaultWidth, readWidths, writeWidths } from './column-widths.ts'

/** The columns of shown fields, each as wide as it was left on this computer, and how one gets another width. */
export function useColumns(object: ObjectItem, fields: readonly FieldDefinition[]) {
  const [widths, setWidths] = useState(() => readWidths(object.name))
  const list = useMemo(
    () =>
      fields.map((field, index): GridColumn => ({
        field,
        width: widths[field.name] ?? defaultWidth(field.type, index === 0),
      })),
    [fields, widths],
  )
  const resize = useCallback(
    (field: string, width: number): void =>
      setWidths((current) => {
        const next = { ...current, [field]: width }
        writeWidths(object.name, next)
        return next
      }),
    [object.name],
  )
  return { list, resize }
}
