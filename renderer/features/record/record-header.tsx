// Owns the line above a record: what it is called, who else looks at it, the next and the previous one, its bell, its link
// and what else can be done with it.
import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconLink,
  IconMaximize,
  IconTable,
  IconTrash,
  IconX,
} from '@tabler/icons-react'
import type { ReactNode, RefObject } from 'react'
import { menuOptions } from '../../components/menu-options.ts'
import { PresenceAvatars } from '../../components/presence-avatars.tsx'
import type { Avatar } from '../../components/presence-avatars.tsx'
import { copyLink } from '../../lib/copy-link.ts'
import { recordPath, tablePath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { objectLabel, objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { RecordSync } from '../sync/index.ts'
import { SubscribeButton } from './subscribe-button.tsx'
import classes from './record.module.css'

/** The line. */
export function RecordHeader(props: {
  object: ObjectItem
  id: string
  title: string
  /** Heading level: 1 on a page of its own. */
  level: 1 | 2
  heading: RefObject<HTMLHeadingElement | null>
  /** What the table shows. */
  view: string
  members: readonly Avatar[]
  /** Whether one can subscribe. */
  hasFeed: boolean
  /** Absent where there is no next and no previous one. */
  onStep: ((step: 1 | -1) => void) | undefined
  /** Absent while an approval holds the record. */
  onDelete: (() => void) | undefined
  /** Absent on a page of its own. */
  onClose?: () => void
}) {
  const { object, id, view, onStep } = props
  const Heading = `h${props.level}` as const
  const page = recordPath(object.name, id, { view })
  const table = tablePath(object.name, { view, rec: id })
  return (
    <div className={classes.header}>
      <div className={classes.names}>
        <p className={classes.object}>{objectLabel(object)}</p>
        <Heading ref={props.heading} className={classes.title} tabIndex={-1}>
          {props.title}
        </Heading>
      </div>
      <PresenceAvatars members={props.members} />
      <RecordSync object={object.name} id={id} />
      <div className={classes.actions} role="group" aria-label={t('record.actions')}>
        {onStep && (
          <>
            <HeaderButton label={t('record.previous')} keys="K" onClick={() => onStep(-1)}>
              <IconArrowUp size={18} stroke={1.75} />
            </HeaderButton>
            <HeaderButton label={t('record.next')} keys="J" onClick={() => onStep(1)}>
              <IconArrowDown size={18} stroke={1.75} />
            </HeaderButton>
          </>
        )}
        {props.hasFeed && <SubscribeButton object={object.name} recordId={id} />}
        <HeaderButton label={t('word.copyLink')} onClick={() => void copyLink(recordPath(object.name, id))}>
          <IconLink size={18} stroke={1.75} />
        </HeaderButton>
        <Menu position="bottom-end" {...menuOptions}>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              c="var(--cairn-text-quiet)"
              aria-label={t('record.more')}
              title={t('record.more')}
            >
              <IconDots size={18} stroke={1.75} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {props.onClose ? (
              <Menu.Item component="a" href={`#${page}`} leftSection={<IconMaximize size={14} aria-hidden />}>
                {t('record.asPage')}
              </Menu.Item>
            ) : (
              <Menu.Item component="a" href={`#${table}`} leftSection={<IconTable size={14} aria-hidden />}>
                {t('record.inTable', { object: objectPluralLabel(object) })}
              </Menu.Item>
            )}
            <Menu.Item
              leftSection={<IconTrash size={14} aria-hidden />}
              disabled={props.onDelete === undefined}
              onClick={props.onDelete}
            >
              {t(props.onDelete ? 'record.delete' : 'record.delete.held')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        {props.onClose && (
          <HeaderButton label={t('record.close')} onClick={props.onClose}>
            <IconX size={18} stroke={1.75} />
          </HeaderButton>
        )}
      </div>
    </div>
  )
}

function HeaderButton(props: { label: string; keys?: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip label={props.keys ? `${props.label} (${props.keys})` : props.label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        c="var(--cairn-text-quiet)"
        aria-label={props.label}
        aria-keyshortcuts={props.keys}
        onClick={props.onClick}
      >
        {props.children}
      </ActionIcon>
    </Tooltip>
  )
}
