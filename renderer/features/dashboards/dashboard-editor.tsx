// Owns editing a dashboard: a draft in memory as tiles on the grid and as a list, the chosen tile's form beside it, steps
// that can be undone, saving.
import { Button, Menu, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import { menuOptions } from '../../components/menu-options.ts'
import { EmptyState, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { useCommands } from '../../lib/commands.ts'
import { navigate } from '../../lib/hash-location.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { fieldList, useObjects } from '../objects/index.ts'
import { useFieldContext } from '../records/index.ts'
import { DashboardGrid } from './dashboard-grid.tsx'
import { objectOfTile, writeDashboard } from './dashboard-item.ts'
import type { Dashboard, Tile } from './dashboard-item.ts'
import { dashboardPath } from './dashboard-places.ts'
import { openDraft, rememberDraft, saveDashboard } from './dashboard-steps.ts'
import classes from './dashboards.module.css'
import { EditedTile } from './edited-tile.tsx'
import type { DragKind } from './edited-tile.tsx'
import { readBar } from './filter-bar-query.ts'
import { newTile } from './tile-edit.ts'
import { TileInspector } from './tile-inspector.tsx'
import { exchanged, moved, placed, replaced, resized, withTile } from './tile-layout.ts'
import type { PlacedTile } from './tile-layout.ts'
import { TileList } from './tile-list.tsx'
import { kindLabel, tileKinds, tileTitle } from './tile-words.ts'
import type { TileKind } from './tile-words.ts'
import { useTileFields } from './use-bar.ts'

interface Draft {
  label: string
  tiles: PlacedTile[]
}

/** The editor; after a save the dashboard is shown. */
export function DashboardEditor(props: { dashboard: Dashboard; etag: string | undefined; onReload: () => void }) {
  const { dashboard, etag } = props
  const { name, columns } = dashboard
  const search = useSearch()
  const fields = useTileFields(dashboard.tiles)
  const context = useFieldContext()
  const bar = useMemo(() => readBar(search, fields, context), [search, fields, context])
  const { data: objects = [] } = useObjects()
  const [first] = useState<Draft>(() => ({ label: dashboard.label, tiles: placed(dashboard.tiles, columns) }))
  const [draft, setDraft] = useState(first)
  const latest = useRef(draft)
  const [chosenId, setChosen] = useState(first.tiles[0]?.id)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const [said, setSaid] = useState('')
  const grid = useRef<HTMLUListElement>(null)
  const before = useRef<Draft>(undefined)
  const helpId = useId()
  const [editorId] = useState(() => `${Date.now()} ${Math.random()}`)
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first)
  const chosen = draft.tiles.find(({ id }) => id === chosenId) ?? draft.tiles[0]
  const viewPath = dashboardPath(name, undefined, search)

  const show = (next: Draft): void => {
    latest.current = next
    setDraft(next)
  }
  useEffect(
    () =>
      openDraft(editorId, ({ label, tiles }) => {
        latest.current = { label, tiles: tiles as PlacedTile[] }
        setDraft(latest.current)
      }),
    [editorId],
  )
  useLeaveGuard(
    isChanged
      ? {
          title: t('dashboards.leave.title'),
          body: t('dashboards.leave.body', { label: draft.label }),
          confirmLabel: t('word.leave'),
          cancelLabel: t('word.stay'),
        }
      : undefined,
  )

  const change = (label: string, what: string, next: Draft): void => {
    if (JSON.stringify(next) === JSON.stringify(latest.current)) return
    rememberDraft(label, what, latest.current, next)
    show(next)
  }
  const withTiles = (tiles: PlacedTile[]): Draft => ({ ...latest.current, tiles })
  const titleOf = (tile: Tile): string => tileTitle(tile, objects)
  const sayPlace = (id: string): void => {
    const tile = latest.current.tiles.find((one) => one.id === id)
    if (!tile) return
    const { x, y, w, h } = tile.layout
    setSaid(t('dashboards.tile.place', { tile: titleOf(tile), column: x + 1, row: y + 1, w, h }))
  }
  const shifted = (tiles: readonly PlacedTile[], kind: DragKind, id: string, dx: number, dy: number): PlacedTile[] =>
    kind === 'move' ? moved(tiles, id, dx, dy, columns) : resized(tiles, id, dx, dy, columns)
  const stepLabel = (kind: DragKind, tile: Tile): string =>
    t(kind === 'move' ? 'undo.dashboard.move' : 'undo.dashboard.size', { tile: titleOf(tile) })

  const add = (kind: TileKind): void => {
    const object = objects.find((one) => chosen && one.name === objectOfTile(chosen)) ?? objects[0]
    const tile = newTile(kind, latest.current.tiles, object?.name ?? '', object ? fieldList(object) : [])
    change(
      t('undo.dashboard.add', { kind: kindLabel(kind) }),
      `add ${tile.id}`,
      withTiles(withTile(latest.current.tiles, tile, columns)),
    )
    setChosen(tile.id)
    sayPlace(tile.id)
  }
  const remove = (id: string): void => {
    const tile = latest.current.tiles.find((one) => one.id === id)
    if (!tile) return
    const title = titleOf(tile)
    change(
      t('undo.dashboard.remove', { tile: title }),
      `remove ${id}`,
      withTiles(latest.current.tiles.filter((one) => one.id !== id)),
    )
    setSaid(t('dashboards.tile.removed', { tile: title }))
  }
  const save = async (): Promise<void> => {
    setBusy(true)
    setRefusal(undefined)
    try {
      const item = writeDashboard({
        ...dashboard,
        ...latest.current,
        label: latest.current.label.trim() || dashboard.label,
      })
      await saveDashboard(t('undo.dashboard.change', { label: latest.current.label }), name, item, etag)
      showToast({ message: t('dashboards.saved', { label: latest.current.label }), tone: 'good' })
      navigate(viewPath, { unasked: true })
    } catch (error) {
      setRefusal(error)
      setBusy(false)
    }
  }
  useCommands([
    {
      id: 'dashboard.save',
      label: t('dashboards.save.command'),
      group: 'general',
      enabled: isChanged && !busy,
      run: () => void save(),
    },
  ])

  return (
    <Page
      title={t('dashboards.editing', { label: draft.label })}
      width="full"
      actions={
        <>
          <Button variant="subtle" component="a" href={`#${viewPath}`}>
            {t(isChanged ? 'app.cancel' : 'app.close')}
          </Button>
          <Button loading={busy} disabled={!isChanged} onClick={() => void save()}>
            {t('app.save')}
          </Button>
        </>
      }
    >
      {refusal !== undefined && (
        <Notice
          tone="bad"
          live
          actions={
            hasCode(refusal, 'CONCURRENT_UPDATE') && (
              <Button size="xs" variant="default" onClick={props.onReload}>
                {t('dashboards.reload')}
              </Button>
            )
          }
        >
          {hasCode(refusal, 'CONCURRENT_UPDATE') ? t('dashboards.changedElsewhere') : problemText(refusal)}
        </Notice>
      )}
      <p id={helpId} className={classes.help}>
        {t('dashboards.edit.help')}
      </p>
      <p role="status" className="cairn-hidden">
        {said}
      </p>
      <div className={classes.editor}>
        <div className={classes.stage}>
          {draft.tiles.length === 0 ? (
            <EmptyState title={t('dashboards.empty')}>{t('dashboards.empty.start')}</EmptyState>
          ) : (
            <DashboardGrid
              tiles={draft.tiles}
              columns={columns}
              label={t('dashboards.draft')}
              grid={grid}
              chosen={chosen?.id}
            >
              {(tile) => (
                <EditedTile
                  tile={tile}
                  title={titleOf(tile)}
                  bar={bar}
                  columns={columns}
                  grid={grid}
                  helpId={helpId}
                  onChoose={() => setChosen(tile.id)}
                  onKeyStep={(kind, dx, dy) => {
                    const next = withTiles(shifted(latest.current.tiles, kind, tile.id, dx, dy))
                    change(stepLabel(kind, tile), `${kind} ${tile.id}`, next)
                    sayPlace(tile.id)
                    // The order of the page follows the places: the grip may have been put elsewhere.
                    requestAnimationFrame(() =>
                      grid.current?.querySelector<HTMLElement>(`[data-grip="${CSS.escape(tile.id)}"]`)?.focus(),
                    )
                  }}
                  onDragStart={() => (before.current = latest.current)}
                  onDrag={(kind, dx, dy) => {
                    if (before.current) show(withTiles(shifted(before.current.tiles, kind, tile.id, dx, dy)))
                  }}
                  onDragEnd={(kind) => {
                    const start = before.current
                    before.current = undefined
                    if (!start || JSON.stringify(start) === JSON.stringify(latest.current)) return
                    rememberDraft(stepLabel(kind, tile), `drag ${Date.now()}`, start, latest.current)
                    sayPlace(tile.id)
                  }}
                  onRemove={() => remove(tile.id)}
                />
              )}
            </DashboardGrid>
          )}
        </div>
        <aside className={classes.side} aria-label={t('dashboards.side')}>
          <TextInput
            label={t('dashboards.label')}
            value={draft.label}
            autoComplete="off"
            onChange={(event) =>
              change(t('undo.dashboard.label'), 'label', { ...latest.current, label: event.currentTarget.value })
            }
          />
          <Menu position="bottom-start" {...menuOptions}>
            <Menu.Target>
              <Button
                variant="default"
                leftSection={<IconPlus size={14} aria-hidden />}
                className={classes.start ?? ''}
              >
                {t('dashboards.add')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {tileKinds.map((kind) => (
                <Menu.Item key={kind} onClick={() => add(kind)}>
                  {kindLabel(kind)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          {draft.tiles.length > 0 && (
            <>
              <h2>{t('word.tiles')}</h2>
              <TileList
                tiles={draft.tiles}
                objects={objects}
                chosen={chosen?.id}
                onChoose={setChosen}
                onMove={(id, by) => {
                  const tile = latest.current.tiles.find((one) => one.id === id)
                  if (!tile) return
                  change(
                    stepLabel('move', tile),
                    `order ${id}`,
                    withTiles(exchanged(latest.current.tiles, id, by, columns)),
                  )
                  sayPlace(id)
                }}
                onRemove={remove}
              />
            </>
          )}
          {chosen && (
            <>
              <h2>{t('dashboards.tile.settings', { tile: titleOf(chosen) })}</h2>
              <TileInspector
                key={chosen.id}
                tile={chosen}
                columns={columns}
                objects={objects}
                onChange={(tile, what) =>
                  change(
                    t('undo.dashboard.tile', { tile: titleOf(tile) }),
                    what,
                    withTiles(replaced(latest.current.tiles, tile, columns)),
                  )
                }
                onSize={(dw, dh) =>
                  change(
                    stepLabel('size', chosen),
                    `size ${chosen.id}`,
                    withTiles(resized(latest.current.tiles, chosen.id, dw, dh, columns)),
                  )
                }
                onRemove={() => remove(chosen.id)}
              />
            </>
          )}
        </aside>
      </div>
    </Page>
  )
}
