// Owns the menu of a column: what it does to the field, to the order and the choice of records, and to the columns.
import { Menu } from '@mantine/core'
import {
  IconArrowBarToLeft,
  IconArrowBarToRight,
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconEyeOff,
  IconFilter,
  IconLayoutList,
  IconPencil,
  IconPin,
  IconPinnedOff,
  IconTransform,
} from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import type { ComponentType, ReactNode, RefObject } from 'react'
import type { DataGridHandle } from '../../components/grid/index.ts'
import { useMenu } from '../../components/menu-options.ts'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { FieldInPlace } from '../objects/index.ts'
import type { FieldPlace, ObjectItem } from '../objects/index.ts'
import { frozenAfterMove, moveColumn, placeBeside } from './column-order.ts'
import { maxLevels, termChoices } from './group-terms.ts'
import type { GroupTerm } from './group-terms.ts'
import { changeSort } from './record-query.ts'
import type { RecordQuery } from './record-query.ts'

/** The key that opens a menu is still on its way, and a dialog gives the focus back a moment after it has closed. */
const handoverMs = 30

/** What the view needs: the callbacks of the grid, and what to draw. */
export interface HeaderMenu {
  onHeaderMenu(field: string, anchor: HTMLElement): void
  onColumnMove(field: string, to: number): void
  elements: ReactNode
}

/** The menus of the columns of one view. */
export function useHeaderMenu(options: {
  object: ObjectItem
  query: RecordQuery
  terms: readonly GroupTerm[]
  columns: readonly FieldDefinition[]
  /** Columns that do not scroll sideways. */
  frozen: number
  grid: RefObject<DataGridHandle | null>
  onQuery: (next: Partial<RecordQuery>) => void
  onColumns: (names: readonly string[]) => void
  /** Opens the filter with a condition on a field. */
  onFilter: (field: string) => void
}): HeaderMenu {
  const { object, query, terms, columns, frozen, grid, onQuery, onColumns } = options
  const mayDesign = useMay('manage_metadata') === true
  const [menu, setMenu] = useState<{ field: FieldDefinition; at: { left: number; top: number } }>()
  const [place, setPlace] = useState<FieldPlace>()
  /** The dialogs are loaded with the first wish for one of them. */
  const [wasPlaced, setWasPlaced] = useState(false)
  const show = (next: FieldPlace): void => {
    setWasPlaced(true)
    setPlace(next)
  }
  const names = columns.map(({ name }) => name)

  const toHeader = (name: string): void => grid.current?.activate(-1, name)
  const { options: menuOptions, after } = useMenu(grid)
  const close = (): void => {
    setMenu(undefined)
    grid.current?.focus()
  }
  const onColumnMove = (name: string, to: number): void => {
    const from = names.indexOf(name)
    const next = frozenAfterMove(frozen, from, to)
    onColumns(moveColumn(names, name, to))
    if (next !== frozen) onQuery({ frozen: next })
  }

  const field = menu?.field
  return {
    onHeaderMenu(name, anchor) {
      const found = columns.find((column) => column.name === name)
      if (!found) return
      const { left, bottom } = anchor.getBoundingClientRect()
      toHeader(name)
      // Enter, pressed with Alt, must not press the entry that gets the focus.
      setTimeout(() => setMenu({ field: found, at: { left, top: bottom } }), handoverMs)
    },
    onColumnMove,
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
          <Menu.Dropdown aria-label={field && t('column.menu', { field: fieldLabel(field) })} mah="70vh" style={scroll}>
            {field && (
              <Entries {...{ field, names, frozen, query, terms, mayDesign }} act={after} on={actions(field)} />
            )}
          </Menu.Dropdown>
        </Menu>
        {wasPlaced && (
          <Suspense fallback={null}>
            <FieldInPlace
              object={object}
              place={place}
              onClose={() => {
                setPlace(undefined)
                setTimeout(() => grid.current?.focus(), handoverMs)
              }}
              onAdded={(added, at) => {
                showToast({ message: t('column.added'), tone: 'good' })
                if ('beside' in at) onColumns(placeBeside(names, added, at.beside, at.side))
              }}
            />
          </Suspense>
        )}
      </>
    ),
  }

  function actions({ name }: FieldDefinition): Actions {
    const at = names.indexOf(name)
    return {
      edit: () => show({ field: name }),
      retype: () => show({ field: name, picking: true }),
      insert: (side) => show({ beside: name, side }),
      sort: (order) => onQuery({ sort: changeSort(query.sort, name, order, order === null) }),
      filter: () => options.onFilter(name),
      group: (term) => onQuery({ group: term ? [...terms, term] : terms.filter((known) => known.field !== name) }),
      freeze: () => onQuery({ frozen: frozen === at + 1 ? 0 : at + 1 }),
      move: (step) => {
        onColumnMove(name, at + step)
        toHeader(name)
      },
      hide: () => {
        onColumns(names.filter((other) => other !== name))
        if (at < frozen) onQuery({ frozen: frozen - 1 })
      },
    }
  }
}

const scroll = { overflowY: 'auto' } as const

interface Actions {
  edit(): void
  retype(): void
  insert(side: 'before' | 'after'): void
  sort(order: 'asc' | 'desc' | null): void
  filter(): void
  group(term: GroupTerm | undefined): void
  freeze(): void
  move(step: 1 | -1): void
  hide(): void
}

function Entries(props: {
  field: FieldDefinition
  names: readonly string[]
  frozen: number
  query: RecordQuery
  terms: readonly GroupTerm[]
  mayDesign: boolean
  act: (act: () => void) => () => void
  on: Actions
}) {
  const { field, names, frozen, terms, act, on } = props
  const at = names.indexOf(field.name)
  const order = props.query.sort.find((term) => term.field === field.name)?.order
  const isGrouped = terms.some((term) => term.field === field.name)
  const choice = termChoices([field], terms.length)[0]
  const bucket = choice?.value.split('.')[1] as GroupTerm['bucket']
  const entry = (key: string, Icon: ComponentType<{ size: number }>, label: string, run: () => void): ReactNode => (
    <Menu.Item key={key} leftSection={<Icon size={14} aria-hidden />} onClick={act(run)}>
      {label}
    </Menu.Item>
  )
  return (
    <>
      {props.mayDesign && entry('edit', IconPencil, t('column.edit'), on.edit)}
      {props.mayDesign && entry('retype', IconTransform, t('column.retype'), on.retype)}
      {props.mayDesign && <Menu.Divider />}
      {field.sortable !== false && (
        <>
          {entry('asc', IconArrowUp, t('column.sortAsc'), () => on.sort('asc'))}
          {entry('desc', IconArrowDown, t('column.sortDesc'), () => on.sort('desc'))}
          {order && entry('none', IconArrowDown, t('column.sortNone'), () => on.sort(null))}
        </>
      )}
      {fieldTypeOf(field).operators(field).length > 0 && entry('filter', IconFilter, t('column.filter'), on.filter)}
      {isGrouped
        ? entry('ungroup', IconLayoutList, t('column.ungroup'), () => on.group(undefined))
        : choice &&
          terms.length < maxLevels &&
          entry('group', IconLayoutList, t('column.group'), () =>
            on.group({ field: field.name, ...(bucket === undefined ? {} : { bucket }) }),
          )}
      <Menu.Divider />
      {frozen === at + 1
        ? entry('unfreeze', IconPinnedOff, t('column.unfreeze'), on.freeze)
        : entry('freeze', IconPin, t('column.freeze'), on.freeze)}
      {at > 0 && entry('before', IconArrowLeft, t('column.moveBefore'), () => on.move(-1))}
      {at < names.length - 1 && entry('after', IconArrowRight, t('column.moveAfter'), () => on.move(1))}
      {names.length > 1 && entry('hide', IconEyeOff, t('column.hide'), on.hide)}
      {props.mayDesign && <Menu.Divider />}
      {props.mayDesign && entry('left', IconArrowBarToLeft, t('column.insertBefore'), () => on.insert('before'))}
      {props.mayDesign && entry('right', IconArrowBarToRight, t('column.insertAfter'), () => on.insert('after'))}
    </>
  )
}
