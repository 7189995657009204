// Owns the menu of one record, opened at its cell by the right button or Alt+Enter, and the dialogs it leads to.
import { Menu } from '@mantine/core'
import { IconShare, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import type { DataGridHandle, GridRecord, GridSelection } from '../../components/grid/index.ts'
import { useMenu } from '../../components/menu-options.ts'
import { authConfigQuery } from '../../lib/auth-config.ts'
import { useCommands } from '../../lib/commands.ts'
import { t, tn } from '../../lib/strings.ts'
import { displayFieldOf } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { ShareDialog } from '../sharing/index.ts'
import { useRowAt } from './use-record-rows.ts'
import type { RecordRows } from './use-record-rows.ts'

/** The key that opens a menu is still on its way, and a dialog gives the focus back a moment after it has closed. */
const handoverMs = 30

interface OpenMenu {
  row: GridRecord
  at: { left: number; top: number }
}

/** What the view needs: the callback of the grid, and what to draw. */
export interface RecordMenu {
  onCellMenu(rowIndex: number, field: string, anchor: HTMLElement): void
  /** Shares the one record of a choice; undefined where that is not possible. */
  shareOne(ids: readonly string[]): (() => void) | undefined
  elements: ReactNode
}

/** The menu of the records of one view. */
export function useRecordMenu(options: {
  object: ObjectItem
  rows: Pick<RecordRows, 'changes' | 'getRow' | 'rowCount'>
  /** Where the keyboard is. */
  selection: GridSelection | undefined
  grid: RefObject<DataGridHandle | null>
  onDelete: (id: string) => void
}): RecordMenu {
  const { object, rows, grid } = options
  // A host without accounts has nobody to share with.
  const canShare = !!useQuery(authConfigQuery).data
  const line = options.selection?.ranges.at(-1)?.anchor.row
  const current = useRowAt(rows, line)
  const [menu, setMenu] = useState<OpenMenu>()
  const [shared, setShared] = useState<GridRecord>()
  const [wasShared, setWasShared] = useState(false)
  const share = (row: GridRecord): void => {
    setWasShared(true)
    setShared(row)
  }
  const { options: menuOptions, after } = useMenu(grid)
  useCommands([
    {
      id: 'records.share',
      label: t('records.share'),
      group: 'records',
      keywords: 'owner transfer access people team role',
      enabled: canShare && current !== undefined,
      run: () => current && share(current),
    },
  ])
  const close = (): void => {
    setMenu(undefined)
    grid.current?.focus()
  }
  return {
    shareOne([id, ...others]) {
      if (!canShare || id === undefined || others.length > 0) return undefined
      return () => share(rowOf(rows, id) ?? { id })
    },
    onCellMenu(rowIndex, _field, anchor) {
      const row = rows.getRow(rowIndex)
      if (!row) return
      const { left, bottom } = anchor.getBoundingClientRect()
      // Enter, pressed with Alt, must not press the entry that gets the focus.
      setTimeout(() => setMenu({ row, at: { left, top: bottom } }), handoverMs)
    },
    elements: (
      <>
        <Menu
          opened={menu !== undefined}
          onChange={(opened) => !opened && close()}
          position="bottom-start"
          {...menuOptions}
          trapFocus
        >
          <Menu.Target>
            <span aria-hidden style={{ position: 'fixed', ...menu?.at }} />
          </Menu.Target>
          <Menu.Dropdown aria-label={t('records.menu')}>
            {canShare && (
              <Menu.Item
                leftSection={<IconShare size={14} aria-hidden />}
                onClick={after(() => menu && share(menu.row))}
              >
                {t('records.share')}
              </Menu.Item>
            )}
            <Menu.Item
              leftSection={<IconTrash size={14} aria-hidden />}
              onClick={after(() => menu && options.onDelete(String(menu.row.id)))}
            >
              {tn('records.delete', 1)}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        {wasShared && (
          <Suspense fallback={null}>
            <ShareDialog
              object={object}
              record={shared && { object: object.name, id: String(shared.id), label: labelOf(object, shared) }}
              onClose={() => {
                setShared(undefined)
                setTimeout(() => grid.current?.focus(), handoverMs)
              }}
            />
          </Suspense>
        )}
      </>
    ),
  }
}

/** The loaded row of a record. */
function rowOf({ getRow, rowCount }: Pick<RecordRows, 'getRow' | 'rowCount'>, id: string): GridRecord | undefined {
  for (let line = 0; line < rowCount; line += 1) {
    const row = getRow(line)
    if (row?.id === id) return row
  }
  return undefined
}

function labelOf(object: ObjectItem, row: GridRecord): string {
  const field = displayFieldOf(object)
  const value = field === undefined ? undefined : row[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : String(row.id)
}
