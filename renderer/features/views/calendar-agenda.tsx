// Owns the agenda: the records of a period one below the other, by day. What the bars show, for everybody.
import { ActionIcon } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { addDays, dayText } from './calendar-days.ts'
import { eventLabel } from './calendar-weeks.tsx'
import type { EventActs } from './calendar-weeks.tsx'
import { CardValues } from './record-card.tsx'
import type { CalendarEvent } from './use-calendar.ts'
import classes from './calendar.module.css'

/** The agenda from one day to another; a record of several days stands at each of them. */
export function CalendarAgenda(props: {
  label: string
  from: string
  to: string
  today: string
  events: readonly CalendarEvent[]
  fields: readonly FieldDefinition[]
  context: FieldContext
  acts: EventActs
}) {
  const { from, to, context, acts } = props
  const { locale } = context
  const days: { day: string; events: CalendarEvent[] }[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const events = props.events.filter((event) => event.from <= day && event.to >= day)
    if (events.length > 0) days.push({ day, events })
  }
  return (
    <div className={classes.agenda} role="group" aria-label={props.label}>
      {days.length === 0 && (
        <p className={classes.nothing}>
          {t('calendar.agenda.none', {
            from: dayText(from, locale, { dateStyle: 'medium' }),
            to: dayText(to, locale, { dateStyle: 'medium' }),
          })}
        </p>
      )}
      {days.map(({ day, events }) => (
        <section key={day} className={classes.agendaDay} data-today={day === props.today || undefined}>
          <h2 className={classes.agendaDate}>
            {dayText(day, locale, { weekday: 'long', day: 'numeric', month: 'long' })}
          </h2>
          <ul className={classes.agendaList}>
            {events.map((event) => (
              <li key={String(event.record.id)} className={`${classes.agendaEvent} ${event.hue}`}>
                <div className={classes.agendaText}>
                  <button
                    type="button"
                    className={classes.agendaName}
                    data-event={String(event.record.id)}
                    onClick={() => acts.onOpen(event)}
                  >
                    {event.time !== '' && event.from === day && <span className={classes.time}>{event.time}</span>}
                    {event.title}
                  </button>
                  {event.from !== event.to && <span className={classes.agendaDays}>{eventLabel(event, locale)}</span>}
                  <CardValues record={event.record} fields={props.fields} context={context} />
                </div>
                <ActionIcon
                  size={24}
                  variant="subtle"
                  color="gray"
                  aria-label={t('kinds.actions', { record: event.title })}
                  onClick={(click) => acts.onMenu(event, click.currentTarget)}
                >
                  <IconDots size={14} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
