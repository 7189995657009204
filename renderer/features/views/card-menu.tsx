// Owns the menu of one card: where it can be moved to, opening it, deleting it. Opened by its button or by a key.
import { Menu } from '@mantine/core'
import { IconLayoutSidebarRight, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { menuOptions } from '../../components/menu-options.ts'
import { t } from '../../lib/strings.ts'
import type { KindPart } from './use-kind-part.tsx'

/** The menu hands the focus over a moment after it has closed. */
const handoverMs = 30

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

/** The menu; `children` are entries of the kind, which stand first. */
export function CardMenu(props: {
  part: KindPart
  open: OpenCardMenu | undefined
  onClose: () => void
  onOpen: ((record: GridRecord) => void) | undefined
  children?: ReactNode
}) {
  const { part, open } = props
  const record = open?.record
  return (
    <Menu
      opened={open !== undefined}
      onChange={(opened) => !opened && props.onClose()}
      position="bottom-start"
      {...menuOptions}
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
        {props.children}
        {props.onOpen && (
          <Menu.Item
            leftSection={<IconLayoutSidebarRight size={14} aria-hidden />}
            onClick={() => record && setTimeout(() => props.onOpen?.(record), handoverMs)}
          >
            {t('records.open')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => record && void part.remove(String(record.id))}
        >
          {t('kinds.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
