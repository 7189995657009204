// Owns the calendar: which days are on screen, walking through them, and moving records by pointer, menu and key.
import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconCalendarOff, IconCalendarTime, IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { EmptyState } from '../../components/notice.tsx'
import type { GridRecord } from '../../components/grid/index.ts'
import { isEditable } from '../../fields/index.ts'
import { useCommands } from '../../lib/commands.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { objectPluralLabel } from '../objects/index.ts'
import { dayFields, hueFields, useRecordPeek } from '../records/index.ts'
import type { ViewKindProps } from '../records/index.ts'
import { CalendarAgenda } from './calendar-agenda.tsx'
import {
  addDays,
  addMonths,
  calendarModes,
  dayOf,
  daysBetween,
  firstWeekday,
  periodOf,
  periodText,
  stepPeriod,
  todayIn,
  valueOn,
  weeksOf,
} from './calendar-days.ts'
import type { CalendarMode } from './calendar-days.ts'
import { CalendarWeeks, dayByKey } from './calendar-weeks.tsx'
import type { Dragged, EventActs } from './calendar-weeks.tsx'
import { CardMenu, menuAt } from './card-menu.tsx'
import type { OpenCardMenu } from './card-menu.tsx'
import { DatesDialog } from './dates-dialog.tsx'
import { KindFrame, OptionSelect } from './kind-frame.tsx'
import { steppedRows } from './record-list.ts'
import { UndatedTray } from './undated-tray.tsx'
import { maxEvents, useCalendar } from './use-calendar.ts'
import type { CalendarFields } from './use-calendar.ts'
import { isPeekOpen, useKindPart } from './use-kind-part.tsx'
import type { KindPart } from './use-kind-part.tsx'
import classes from './calendar.module.css'

/** The calendar of a view; without a field for its days it asks for one. */
export function CalendarView(props: ViewKindProps) {
  const part = useKindPart(props)
  const { options, fields } = part
  const choices = dayFields(fields)
  const find = (name: string | undefined) =>
    choices.some(({ value }) => value === name) ? part.field(name) : undefined
  const start = find(options.startDateField)
  const own = (
    <>
      <OptionSelect
        label={t('calendar.start')}
        value={options.startDateField ?? ''}
        choices={choices}
        onChange={(value) => part.setOptions({ startDateField: value })}
      />
      <OptionSelect
        label={t('calendar.end')}
        none={t('word.none')}
        value={options.endDateField ?? ''}
        choices={choices.filter(({ value }) => value !== options.startDateField)}
        onChange={(value) => part.setOptions({ endDateField: value })}
      />
      <OptionSelect
        label={t('calendar.color')}
        none={t('word.none')}
        value={options.colorField ?? ''}
        choices={hueFields(fields)}
        onChange={(value) => part.setOptions({ colorField: value })}
      />
    </>
  )
  if (!start) {
    return (
      <KindFrame part={part} own={own} failure={undefined} onRetry={() => undefined} status={null} peek={null}>
        <EmptyState title={t('calendar.missing')}>{t('calendar.missing.text')}</EmptyState>
      </KindFrame>
    )
  }
  const end = options.endDateField === start.name ? undefined : find(options.endDateField)
  return <Calendar part={part} days={{ start, end, color: part.field(options.colorField) }} own={own} />
}

function Calendar(props: { part: KindPart; days: CalendarFields; own: ReactNode }) {
  const { part, days } = props
  const { object, query, context, onQuery, options } = part
  const { start, end } = days
  const { locale } = context
  const mode: CalendarMode = calendarModes.find((word) => word === options.mode) ?? 'month'
  const first = firstWeekday(locale)
  const today = todayIn(context.timeZone)
  const day = query.day ?? today
  const range = periodOf(mode, day, first)
  const { events, period, undated } = useCalendar(part, days, range)
  /** The day the focus was led to; `tick` tells one time from the next. */
  const [led, setLed] = useState({ day: '', tick: 0 })
  /** A record that was moved by a key: the focus goes with it. */
  const followed = useRef<{ id: string; from: string }>(undefined)
  const [dragged, setDragged] = useState<Dragged>()
  const [menu, setMenu] = useState<OpenCardMenu>()
  const [dated, setDated] = useState<GridRecord>()
  const [tray, setTray] = useState(false)
  const canMove = isEditable(start)
  const canStretch = canMove && end !== undefined && isEditable(end)
  part.bind({ reload: async () => Promise.all([period.reload(), undated.reload()]) })

  const all = [...events.map(({ record }) => record), ...undated.records]
  const { open, peek } = useRecordPeek({
    object,
    address: part.address,
    rows: steppedRows(all),
    render: part.peek,
    onShown: (line) => line !== undefined && !isPeekOpen() && focusRecord(all[line]),
  })
  const openRecord = (record: GridRecord): void => open?.(all.indexOf(record), String(record.id))
  const walk = (next: string, focused: boolean): void => {
    onQuery({ day: next })
    if (focused) setLed(({ tick }) => ({ day: next, tick: tick + 1 }))
  }
  useEffect(() => {
    const target = followed.current
    if (!target || !events.some(({ record, from }) => record.id === target.id && from === target.from)) return
    followed.current = undefined
    focusRecord({ id: target.id })
  })

  const drop = async (on: string): Promise<void> => {
    setDragged(undefined)
    const record = all.find(({ id }) => String(id) === dragged?.id)
    if (!dragged || !record) return
    const value = (field: typeof start, target: string): string => valueOn(target, record[field.name], field, context)
    const from = dayOf(record[start.name], start, context)
    const to = end && dayOf(record[end.name], end, context)
    if (dragged.part === 'undated' || from === undefined) {
      await part.change(record, { [start.name]: value(start, on) })
      return
    }
    if (dragged.part === 'whole') {
      const shiftBy = daysBetween(dragged.day, on)
      if (shiftBy === 0) return
      await part.change(record, {
        [start.name]: value(start, addDays(from, shiftBy)),
        ...(end && to !== undefined ? { [end.name]: value(end, addDays(to, shiftBy)) } : {}),
      })
      return
    }
    const isReversed = dragged.part === 'start' ? on > (to ?? from) : on < from
    if (isReversed) showToast({ message: t('calendar.reversed'), tone: 'bad' })
    else if (dragged.part === 'start') {
      // Without an end, the day it was on becomes one.
      const kept = end && to === undefined && on !== from ? { [end.name]: value(end, from) } : {}
      await part.change(record, { [start.name]: value(start, on), ...kept })
    } else if (end) await part.change(record, { [end.name]: value(end, on) })
  }

  const shift = async (id: string, by: number, stretches: boolean): Promise<void> => {
    const event = events.find(({ record }) => String(record.id) === id)
    if (!event || (stretches ? !canStretch : !canMove)) return
    const { record, from, to } = event
    if (stretches && end) {
      if (addDays(to, by) < from) return
      await part.change(record, { [end.name]: valueOn(addDays(to, by), record[end.name], end, context) })
      return
    }
    followed.current = { id, from: addDays(from, by) }
    await part.change(record, {
      [start.name]: valueOn(addDays(from, by), record[start.name], start, context),
      ...(end && record[end.name] ? { [end.name]: valueOn(addDays(to, by), record[end.name], end, context) } : {}),
    })
    walk(addDays(day, by), false)
  }

  const onKey = (event: KeyboardEvent, at: string): void => {
    const bar = (event.target as Element).closest('[data-event]')?.getAttribute('data-event')
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 7, ArrowUp: -7 }[event.key]
    if (event.ctrlKey || event.metaKey) return
    if (event.altKey) {
      if (!bar || by === undefined) return
      event.preventDefault()
      void shift(bar, by, event.shiftKey)
      return
    }
    const next =
      dayByKey(event.key, bar ? day : at) ??
      { PageDown: addMonths(at, 1), PageUp: addMonths(at, -1), Home: range.from, End: range.to }[event.key]
    if (next !== undefined) {
      event.preventDefault()
      walk(next, true)
      return
    }
    if (event.key !== 'Enter' || bar) return
    event.preventDefault()
    const here = events.filter(({ from, to }) => from <= at && to >= at)
    const [only] = here
    if (!only) part.openNew({ [start.name]: valueOn(at, null, start, context) })
    else if (here.length === 1) openRecord(only.record)
    else {
      onQuery({ day: at, options: { ...options, mode: 'day' } })
      setLed(({ tick }) => ({ day: at, tick: tick + 1 }))
    }
  }

  const focused = (): GridRecord | undefined => {
    const id = document.activeElement?.closest('[data-event]')?.getAttribute('data-event')
    return id
      ? all.find((record) => String(record.id) === id)
      : events.find(({ from, to }) => from <= day && to >= day)?.record
  }
  useCommands([
    {
      id: 'calendar.move',
      label: t('calendar.dates'),
      group: 'records',
      shortcut: 'M',
      keywords: 'move date',
      enabled: canMove && events.length > 0,
      run: () => {
        const record = focused()
        // The key must not be typed into the field that gets the focus.
        if (record) setTimeout(() => setDated(record))
      },
    },
    {
      id: 'calendar.today',
      label: t('calendar.today'),
      group: 'records',
      shortcut: 'T',
      run: () => walk(today, mode !== 'agenda'),
    },
    ...calendarModes.map((word) => ({
      id: `calendar.${word}`,
      label: t(`calendar.mode.${word}`),
      group: 'records' as const,
      keywords: 'calendar',
      run: () => part.setOptions({ mode: word }),
    })),
  ])

  const acts: EventActs = {
    onOpen: ({ record }) => openRecord(record),
    onMenu: ({ record }, anchor) => setMenu(menuAt(record, anchor)),
    onDrag: setDragged,
  }
  const text = periodText(mode, day, first, locale)
  const label = t('calendar.of', { object: objectPluralLabel(object), period: text })
  const isCut = (period.total ?? 0) > maxEvents
  return (
    <KindFrame
      part={part}
      own={props.own}
      sorted={false}
      failure={period.failed ? period.error : undefined}
      onRetry={() => void period.reload()}
      status={
        <>
          <span role="status">{period.total !== undefined && tn('calendar.count', period.total)}</span>
          {isCut && <span>{t('calendar.cut', { count: maxEvents })}</span>}
          {period.error !== null && !period.failed && <span role="alert">{t('records.failedBlock')}</span>}
        </>
      }
      hint={mode === 'agenda' ? undefined : t('calendar.hint')}
      initial={() => ({ [start.name]: valueOn(day, null, start, context) })}
      peek={peek}
    >
      <div className={classes.head}>
        <ActionIcon
          size={28}
          variant="subtle"
          color="gray"
          aria-label={t('calendar.previous')}
          onClick={() => walk(stepPeriod(mode, day, -1), false)}
        >
          <IconChevronLeft size={16} aria-hidden />
        </ActionIcon>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => walk(today, false)}>
          {t('calendar.today')}
        </Button>
        <ActionIcon
          size={28}
          variant="subtle"
          color="gray"
          aria-label={t('calendar.next')}
          onClick={() => walk(stepPeriod(mode, day, 1), false)}
        >
          <IconChevronRight size={16} aria-hidden />
        </ActionIcon>
        <h2 className={classes.period} aria-live="polite">
          {text}
        </h2>
        <div className={classes.modes} role="group" aria-label={t('calendar.mode')}>
          {calendarModes.map((word) => (
            <Button
              key={word}
              size="compact-sm"
              variant={word === mode ? 'light' : 'subtle'}
              {...(word === mode ? {} : { color: 'gray' })}
              aria-pressed={word === mode}
              onClick={() => part.setOptions({ mode: word })}
            >
              {t(`calendar.mode.${word}`)}
            </Button>
          ))}
        </div>
        <Button
          className={classes.trayButton}
          size="compact-sm"
          variant={tray ? 'light' : 'subtle'}
          color="gray"
          aria-expanded={tray}
          leftSection={<IconCalendarOff size={14} aria-hidden />}
          onClick={() => setTray(!tray)}
        >
          {t('calendar.undatedCount', { count: undated.total ?? 0 })}
        </Button>
      </div>
      <div className={classes.calendar}>
        {mode === 'agenda' ? (
          <CalendarAgenda
            label={label}
            {...range}
            today={today}
            events={events}
            fields={part.cardFields([start.name, end?.name])}
            context={context}
            acts={acts}
          />
        ) : (
          <CalendarWeeks
            mode={mode}
            label={label}
            weeks={weeksOf(mode, day, first)}
            events={events}
            active={{ day, tick: led.day === day ? led.tick : 0 }}
            today={today}
            month={day.slice(0, 7)}
            locale={locale}
            canMove={canMove}
            canStretch={canStretch}
            dragged={dragged}
            acts={acts}
            onActive={(on) => on !== day && onQuery({ day: on })}
            onKey={onKey}
            onMore={(on) => onQuery({ day: on, options: { ...options, mode: 'day' } })}
            onDrop={(on) => void drop(on)}
          />
        )}
        {tray && (
          <UndatedTray
            part={part}
            records={undated.records}
            total={undated.total ?? 0}
            canMove={canMove}
            onOpen={openRecord}
            onSetDate={setDated}
            onDrag={setDragged}
            onClose={() => setTray(false)}
          />
        )}
      </div>
      <CardMenu
        part={part}
        open={menu}
        onClose={() => setMenu(undefined)}
        onClosed={focusRecord}
        onOpen={open && openRecord}
      >
        {(after) =>
          canMove && (
            <Menu.Item
              leftSection={<IconCalendarTime size={14} aria-hidden />}
              onClick={after(() => setDated(menu?.record))}
            >
              {t('calendar.dates')}
            </Menu.Item>
          )
        }
      </CardMenu>
      <DatesDialog
        part={part}
        record={dated}
        fields={[start, ...(end && isEditable(end) ? [end] : [])]}
        onClose={() => setDated(undefined)}
      />
    </KindFrame>
  )
}

/** Puts the focus on a record that is on screen. */
function focusRecord(record: GridRecord | undefined): void {
  const id = record && CSS.escape(String(record.id))
  document.querySelector<HTMLElement>(`[data-event="${id}"], [data-undated="${id}"]`)?.focus()
}
