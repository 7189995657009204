// Owns the mark beside a field that has a conflict, and the popover that ends it in place.
import { Popover, UnstyledButton } from '@mantine/core'
import { IconArrowsJoin2 } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../../lib/strings.ts'
import { useSyncStatus } from '../sync/index.ts'
import { ConflictCard } from './conflict-card.tsx'
import { useCardPlace } from './conflict-list.tsx'
import type { Conflict } from './conflict-queries.ts'
import classes from './conflicts.module.css'

/** The mark of one field, or of the record as a whole. */
export function ConflictMark(props: { conflicts: readonly Conflict[]; label: string }) {
  const [opened, setOpened] = useState(false)
  const name = t('conflicts.markOf', { field: props.label })
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      transitionProps={{ duration: 0 }}
      width="min(560px, 92vw)"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <UnstyledButton className={classes.mark} aria-label={name} title={name} onClick={() => setOpened(!opened)}>
          <IconArrowsJoin2 size={14} aria-hidden />
          <span>{t('conflicts.mark')}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={name} className={classes.popover}>
        {opened && <MarkBody conflicts={props.conflicts} />}
      </Popover.Dropdown>
    </Popover>
  )
}

function MarkBody(props: { conflicts: readonly Conflict[] }) {
  const status = useSyncStatus()
  const place = useCardPlace(props.conflicts, status?.device?.id)
  return (
    <ul className={classes.cards} data-plain>
      {props.conflicts.map((conflict) => (
        <ConflictCard key={conflict.id} conflict={conflict} place={place} />
      ))}
    </ul>
  )
}
