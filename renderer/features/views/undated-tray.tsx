// Owns the list of the records without a day beside a calendar: dragged onto a day, or given one in a dialog.
import { ActionIcon, CloseButton } from '@mantine/core'
import { IconCalendarPlus } from '@tabler/icons-react'
import type { GridRecord } from '../../components/grid/index.ts'
import { t } from '../../lib/strings.ts'
import type { Dragged } from './calendar-weeks.tsx'
import type { KindPart } from './use-kind-part.tsx'
import classes from './calendar.module.css'

/** The list. */
export function UndatedTray(props: {
  part: KindPart
  records: readonly GridRecord[]
  total: number
  canMove: boolean
  onOpen: (record: GridRecord) => void
  onSetDate: (record: GridRecord) => void
  onDrag: (dragged: Dragged | undefined) => void
  onClose: () => void
}) {
  const { part, records } = props
  return (
    <section className={classes.tray} aria-label={t('calendar.undatedCount', { count: props.total })}>
      <div className={classes.trayHead}>
        <h2>{t('calendar.undated')}</h2>
        <span className={classes.count}>{props.total}</span>
        <CloseButton size="sm" aria-label={t('calendar.undated.close')} onClick={props.onClose} />
      </div>
      <p className={classes.trayText}>{t(records.length === 0 ? 'calendar.undated.none' : 'calendar.undated.text')}</p>
      <ul className={classes.trayList}>
        {records.map((record) => {
          const title = part.titleOf(record)
          return (
            <li
              key={String(record.id)}
              className={classes.undated}
              draggable={props.canMove}
              onDragStart={(event) => {
                event.dataTransfer.setData('text/plain', title)
                event.dataTransfer.effectAllowed = 'move'
                props.onDrag({ id: String(record.id), part: 'undated', day: '' })
              }}
              onDragEnd={() => props.onDrag(undefined)}
            >
              <button
                type="button"
                className={classes.undatedName}
                data-undated={String(record.id)}
                aria-keyshortcuts="D"
                onClick={() => props.onOpen(record)}
                onKeyDown={(event) => {
                  if (event.key.toLowerCase() !== 'd' || event.ctrlKey || event.metaKey || event.altKey) return
                  event.preventDefault()
                  if (props.canMove) props.onSetDate(record)
                }}
              >
                {title}
              </button>
              {props.canMove && (
                <ActionIcon
                  size={24}
                  variant="subtle"
                  color="gray"
                  aria-label={t('calendar.setDate', { record: title })}
                  onClick={() => props.onSetDate(record)}
                >
                  <IconCalendarPlus size={14} aria-hidden />
                </ActionIcon>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
