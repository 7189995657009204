// Owns the weeks of a calendar on screen: days one below the other, records as bars over them, moved and stretched by
// pointer. One tab stop among the days; the bars of its day follow.
import { useEffect, useRef, useState } from 'react'
import type { DragEvent, KeyboardEvent } from 'react'
import { t, tn } from '../../lib/strings.ts'
import { addDays, dayText } from './calendar-days.ts'
import type { CalendarMode } from './calendar-days.ts'
import { hiddenByDay, layLanes } from './calendar-lanes.ts'
import type { Segment } from './calendar-lanes.ts'
import type { CalendarEvent } from './use-calendar.ts'
import classes from './calendar.module.css'

/** Lanes of a week of a month; the rest is counted. */
const monthLanes = 3
const laneHeight = 24
const dayHead = 28

/** What is being dragged: a whole record from the day it was taken at, one of its ends, or one without a day. */
export interface Dragged {
  id: string
  part: 'whole' | 'start' | 'end' | 'undated'
  day: string
}

/** What happens to records; absent where that is not possible. */
export interface EventActs {
  onOpen: (event: CalendarEvent) => void
  onMenu: (event: CalendarEvent, anchor: HTMLElement) => void
  onDrag: (dragged: Dragged | undefined) => void
}

/** The weeks. */
export function CalendarWeeks(props: {
  mode: CalendarMode
  label: string
  weeks: readonly (readonly string[])[]
  events: readonly CalendarEvent[]
  /** The day the keyboard is on; `tick` rises when the focus has to follow. */
  active: { day: string; tick: number }
  today: string
  /** Month whose days are not faded. */
  month: string
  locale: string
  canMove: boolean
  canStretch: boolean
  dragged: Dragged | undefined
  acts: EventActs
  onActive: (day: string) => void
  onKey: (event: KeyboardEvent, day: string) => void
  onMore: (day: string) => void
  onDrop: (day: string) => void
}) {
  const { weeks, mode, locale } = props
  const shown = weeks[0] ?? []
  return (
    <div className={classes.weeks} role="group" aria-label={props.label} data-mode={mode}>
      {mode !== 'day' && (
        <div className={classes.weekdays} aria-hidden>
          {shown.map((day) => (
            <span key={day}>{dayText(day, locale, { weekday: 'short' })}</span>
          ))}
        </div>
      )}
      {weeks.map((week) => (
        <Week key={week[0]} {...props} week={week} lanes={mode === 'month' ? monthLanes : Infinity} />
      ))}
    </div>
  )
}

function Week(
  props: Parameters<typeof CalendarWeeks>[0] & {
    week: readonly string[]
    lanes: number
  },
) {
  const { week, events, lanes, active, locale } = props
  const row = useRef<HTMLDivElement>(null)
  const [over, setOver] = useState<string>()
  const segments = layLanes(events, week)
  const hidden = hiddenByDay(segments, week.length, lanes)
  const width = 100 / week.length
  const deepest = segments.reduce((most, { lane }) => Math.max(most, lane + 1), 0)

  const dayAt = (event: DragEvent): string | undefined => {
    const box = row.current?.getBoundingClientRect()
    if (!box) return undefined
    const isBackwards = getComputedStyle(row.current as Element).direction === 'rtl'
    const part = (event.clientX - box.left) / box.width
    return week[Math.min(week.length - 1, Math.max(0, Math.floor((isBackwards ? 1 - part : part) * week.length)))]
  }

  return (
    <div
      ref={row}
      className={classes.week}
      style={Number.isFinite(lanes) ? undefined : { minBlockSize: dayHead + (deepest + 1) * laneHeight }}
      onDragOver={(event) => {
        if (!props.dragged) return
        event.preventDefault()
        setOver(dayAt(event))
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(undefined)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(undefined)
        const day = dayAt(event)
        if (day) props.onDrop(day)
      }}
    >
      {week.map((day, at) => {
        const count = segments.filter(({ first, last }) => first <= at && last >= at).length
        const isActive = day === active.day
        return (
          <div
            key={day}
            className={classes.day}
            data-over={over === day || undefined}
            data-other={(props.mode === 'month' && day.slice(0, 7) !== props.month) || undefined}
            data-weekend={[0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay()) || undefined}
          >
            <DayButton
              day={day}
              locale={locale}
              count={count}
              isToday={day === props.today}
              isActive={isActive}
              tick={isActive ? active.tick : 0}
              onActive={() => props.onActive(day)}
              onKeyDown={(event) => props.onKey(event, day)}
            />
            {(hidden[at] ?? 0) > 0 && (
              <button
                type="button"
                className={classes.more}
                style={{ insetBlockStart: dayHead + lanes * laneHeight }}
                tabIndex={isActive ? 0 : -1}
                aria-label={t('calendar.moreOf', {
                  count: hidden[at] ?? 0,
                  day: dayText(day, locale, { day: 'numeric', month: 'long' }),
                })}
                onClick={() => props.onMore(day)}
              >
                {t('calendar.more', { count: hidden[at] ?? 0 })}
              </button>
            )}
          </div>
        )
      })}
      {segments
        .filter(({ lane }) => lane < lanes)
        .map((segment) => (
          <Bar
            key={String(segment.item.record.id)}
            segment={segment}
            week={week}
            locale={locale}
            style={{
              insetBlockStart: dayHead + segment.lane * laneHeight,
              insetInlineStart: `calc(${segment.first * width}% + ${segment.starts ? 3 : 0}px)`,
              inlineSize: `calc(${(segment.last - segment.first + 1) * width}% - ${(segment.starts ? 3 : 0) + (segment.ends ? 4 : 0)}px)`,
            }}
            isNear={segment.item.from <= active.day && segment.item.to >= active.day}
            canMove={props.canMove}
            canStretch={props.canStretch}
            acts={props.acts}
            onKeyDown={(event) => props.onKey(event, segment.item.from)}
          />
        ))}
    </div>
  )
}

/** Holds what is shown of the first of a month as it stands there: whoever speaks to the machine says what they see. */
const spokenFirst = { weekday: 'long', year: 'numeric', month: 'short', day: 'numeric' } as const

function DayButton(props: {
  day: string
  locale: string
  count: number
  isToday: boolean
  isActive: boolean
  tick: number
  onActive: () => void
  onKeyDown: (event: KeyboardEvent) => void
}) {
  const { day, locale, tick } = props
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (tick > 0) button.current?.focus()
  }, [tick])
  const isFirst = day.endsWith('-01')
  return (
    <button
      ref={button}
      type="button"
      className={classes.date}
      data-day={day}
      data-today={props.isToday || undefined}
      aria-current={props.isToday ? 'date' : undefined}
      tabIndex={props.isActive ? 0 : -1}
      aria-label={tn('calendar.day', props.count, {
        day: dayText(day, locale, isFirst ? spokenFirst : { dateStyle: 'full' }),
      })}
      onFocus={props.onActive}
      onClick={props.onActive}
      onKeyDown={props.onKeyDown}
    >
      {dayText(day, locale, isFirst ? { day: 'numeric', month: 'short' } : { day: 'numeric' })}
    </button>
  )
}

function Bar(props: {
  segment: Segment<CalendarEvent>
  week: readonly string[]
  locale: string
  style: Record<string, string | number>
  isNear: boolean
  canMove: boolean
  canStretch: boolean
  acts: EventActs
  onKeyDown: (event: KeyboardEvent) => void
}) {
  const { segment, acts, locale } = props
  const { item } = segment
  const id = String(item.record.id)
  const take = (part: Dragged['part'], day: string) => (event: DragEvent) => {
    event.stopPropagation()
    event.dataTransfer.setData('text/plain', item.title)
    event.dataTransfer.effectAllowed = 'move'
    acts.onDrag({ id, part, day })
  }
  /** The day of the bar the pointer took it at. */
  const takenAt = (event: DragEvent): string => {
    const box = event.currentTarget.getBoundingClientRect()
    const days = segment.last - segment.first + 1
    const at = Math.min(days - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * days)))
    return props.week[segment.first + at] ?? item.from
  }
  return (
    <div
      className={`${classes.bar} ${item.hue}`}
      style={props.style}
      data-starts={segment.starts || undefined}
      data-ends={segment.ends || undefined}
      draggable={props.canMove}
      onDragStart={(event) => take('whole', takenAt(event))(event)}
      onDragEnd={() => acts.onDrag(undefined)}
    >
      {props.canStretch && segment.starts && (
        <span className={classes.edge} data-edge="start" draggable onDragStart={take('start', item.from)} aria-hidden />
      )}
      <button
        type="button"
        className={classes.barName}
        data-event={id}
        tabIndex={props.isNear ? 0 : -1}
        aria-label={eventLabel(item, locale)}
        onClick={() => acts.onOpen(item)}
        onContextMenu={(event) => {
          event.preventDefault()
          acts.onMenu(item, event.currentTarget)
        }}
        onKeyDown={props.onKeyDown}
      >
        {item.time !== '' && segment.starts && <span className={classes.time}>{item.time}</span>}
        {item.title}
      </button>
      {props.canStretch && segment.ends && (
        <span className={classes.edge} data-edge="end" draggable onDragStart={take('end', item.to)} aria-hidden />
      )}
    </div>
  )
}

/** A record with its days, in words. */
export function eventLabel({ title, from, to, time }: CalendarEvent, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const at = (day: string): number => Date.parse(`${day}T00:00:00Z`)
  const days = from === to ? format.format(at(from)) : format.formatRange(at(from), at(to))
  return t('calendar.event', { record: title, days: time === '' ? days : `${days}, ${time}` })
}

/** The day an arrow leads to. */
export function dayByKey(key: string, day: string): string | undefined {
  const days = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 7, ArrowUp: -7 }[key]
  return days === undefined ? undefined : addDays(day, days)
}
