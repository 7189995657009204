// Owns the records of a calendar: those of the days on screen with where they lie, and those without a day.
import { useMemo } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { allOf } from '../records/index.ts'
import { dayOf, hasTime, periodCondition } from './calendar-days.ts'
import { useRecordList } from './record-list.ts'
import type { RecordList } from './record-list.ts'
import type { KindPart } from './use-kind-part.tsx'

/** Most records of a period, and of the list of those without a day. */
export const maxEvents = 1_000
const maxUndated = 200

/** A record on its days. */
export interface CalendarEvent {
  record: GridRecord
  title: string
  /** First and last day. */
  from: string
  to: string
  /** Time of day it starts at, as people read it; empty where its field has none. */
  time: string
  /** Class of its colour; empty for none. */
  hue: string
}

/** The fields a calendar goes by. */
export interface CalendarFields {
  start: FieldDefinition
  end: FieldDefinition | undefined
  color: FieldDefinition | undefined
}

/** What a calendar shows. */
export interface CalendarRecords {
  events: readonly CalendarEvent[]
  period: RecordList
  undated: RecordList
}

/** The records of a period, in the order of their days, and those that have no day. */
export function useCalendar(
  part: KindPart,
  fields: CalendarFields,
  range: { from: string; to: string },
): CalendarRecords {
  const { object, query, filter, expand, context, titleOf } = part
  const { start, end, color } = fields
  const { from, to } = range
  const asked = { object: object.name, search: query.search, expand }
  const own = useMemo(
    () => allOf([filter, periodCondition(start.name, end?.name, { from, to })]),
    [filter, start.name, end?.name, from, to],
  )
  const order = useMemo(() => [{ field: start.name, order: 'asc' as const }], [start.name])
  const none = useMemo(() => allOf([filter, { [start.name]: { $null: true } }]), [filter, start.name])
  const period = useRecordList({ ...asked, filter: own, sort: order, top: maxEvents })
  const undated = useRecordList({ ...asked, filter: none, sort: query.sort, top: maxUndated })

  const events = useMemo(
    () =>
      period.records.flatMap((record): CalendarEvent[] => {
        const first = dayOf(record[start.name], start, context)
        if (first === undefined) return []
        const last = end && dayOf(record[end.name], end, context)
        return [
          {
            record,
            title: titleOf(record),
            from: first,
            to: last !== undefined && last > first ? last : first,
            time: hasTime(start) ? timeText(record[start.name], context) : '',
            hue: color ? (fieldTypeOf(color).chips?.(record[color.name], color, context)?.[0]?.className ?? '') : '',
          },
        ]
      }),
    // The title is made of the record and its field.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- titleOf is another function at every render
    [period.records, start, end, color, context, part.titleField],
  )
  return { events, period, undated }
}

function timeText(value: unknown, { locale, timeZone }: KindPart['context']): string {
  const instant = Date.parse(String(value))
  if (Number.isNaN(instant)) return ''
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(instant)
}
