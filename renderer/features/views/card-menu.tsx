// Owns the menu of one card: where it can be moved to, opening it, deleting it. Opened by its button or by a key.
import { Menu } from '@mantine/core'
import { IconLayoutSidebarRight, IconTrash } from '@tabler/icons-react'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { useMenu } from '../../components/menu-options.ts'
import type { AfterMenu } from '../../components/menu-options.ts'
import { t } from '../../lib/strings.ts'
import type { KindPart } from './use-kind-part.tsx'

/** A menu that is open at an element of the page. */
export interface OpenCardMenu {
  record: GridRecord
  at: { left: number; top: number }
}

/** Where a menu of an element opens. */
export function menuAt(record: GridRecord, anchor: Element): OpenCardMenu {
  const { left, bottom } = anchor.getBoundingClientRect()
  return { record, at: { left, top: bottom } }
}

/** The menu; `children` makes the entries of the kind, which stand first. */
export function CardMenu(props: {
  part: KindPart
  open: OpenCardMenu | undefined
  onClose: () => void
  /** The menu of a record is gone: the focus goes back to it. */
  onClosed: (record: GridRecord | undefined) => void
  onOpen: ((record: GridRecord) => void) | undefined
  children?: (after: AfterMenu) => ReactNode
}) {
  const { part, open } = props
  const record = open?.record
  const last = useRef(record)
  if (record) last.current = record
  const home = useRef({ focus: (): void => undefined })
  home.current.focus = () => props.onClosed(last.current)
  const { options, after } = useMenu(home, true)
  return (
    <Menu
      opened={open !== undefined}
      onChange={(opened) => !opened && props.onClose()}
      position="bottom-start"
      {...options}
      trapFocus
    >
      <Menu.Target>
        <span aria-hidden style={{ position: 'fixed', ...open?.at }} />
      </Menu.Target>
      <Menu.Dropdown
        mah={420}
        style={{ overflowY: 'auto' }}
        aria-label={record ? t('kinds.actions', { record: part.titleOf(record) }) : undefined}
      >
        {props.children?.(after)}
        {props.onOpen && (
          <Menu.Item
            leftSection={<IconLayoutSidebarRight size={14} aria-hidden />}
            onClick={after(() => record && props.onOpen?.(record))}
          >
            {t('records.open')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => record && void part.remove(String(record.id))}
        >
          {t('record.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
