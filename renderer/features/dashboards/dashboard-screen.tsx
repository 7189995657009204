// Owns the page of one dashboard: its tiles under the filters of the address, and what can be done with it.
import { ActionIcon, Button, Menu } from '@mantine/core'
import {
  IconChartBar,
  IconCopy,
  IconCursorText,
  IconDots,
  IconLink,
  IconPencil,
  IconPrinter,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import { Loading } from '../../components/delayed.tsx'
import { useMenu } from '../../components/menu-options.ts'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { useCommands } from '../../lib/commands.ts'
import { copyLink } from '../../lib/copy-link.ts'
import { navigate } from '../../lib/hash-location.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { useFieldContext } from '../records/index.ts'
import { DashboardGrid } from './dashboard-grid.tsx'
import type { Dashboard } from './dashboard-item.ts'
import { dashboardPath, dashboardsPath } from './dashboard-places.ts'
import { dashboardQuery } from './dashboard-queries.ts'
import classes from './dashboards.module.css'
import { FilterBar } from './filter-bar.tsx'
import { NameDialog } from './name-dialog.tsx'
import { removeAndTell } from './remove-dashboard.ts'
import { placed } from './tile-layout.ts'
import { TileView } from './tile-view.tsx'
import { objectsOfTiles, useBar, useTileFields } from './use-bar.ts'
import { LiveObject } from './use-live-tiles.tsx'

const DashboardEditor = lazyPart(async () => ({ default: (await import('./dashboard-editor.tsx')).DashboardEditor }))

/** The page; `part` is `edit` for the editor. */
export function DashboardScreen(props: { name: string; part: string | undefined }) {
  const { name } = props
  const { data, error, refetch } = useQuery(dashboardQuery(name))
  const mayDesign = useMay('manage_metadata') === true
  const [round, setRound] = useState(0)
  if (!data) {
    if (hasCode(error, 'resource_not_found')) {
      return (
        <Page title={t('dashboards.unknown')} lead={t('dashboards.unknown.text')} width="narrow">
          <Button component="a" href={`#${dashboardsPath}`} mt="md" variant="default">
            {t('word.allDashboards')}
          </Button>
        </Page>
      )
    }
    return (
      <Page title={t('word.dashboards')}>
        {error ? <LoadFailure error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  }
  if (props.part === 'edit' && mayDesign) {
    return (
      <Suspense fallback={null}>
        <OpenEditor key={round} read={data} onReload={() => void refetch().then(() => setRound(round + 1))} />
      </Suspense>
    )
  }
  return <DashboardPage dashboard={data.dashboard} mayDesign={mayDesign} />
}

/** The editor over what was read when it was opened: a draft outlives what others save meanwhile. */
function OpenEditor(props: { read: { dashboard: Dashboard; etag: string | undefined }; onReload: () => void }) {
  const [{ dashboard, etag }] = useState(props.read)
  return <DashboardEditor dashboard={dashboard} etag={etag} onReload={props.onReload} />
}

function DashboardPage(props: { dashboard: Dashboard; mayDesign: boolean }) {
  const { dashboard, mayDesign } = props
  const { name, label, columns } = dashboard
  const search = useSearch()
  const fields = useTileFields(dashboard.tiles)
  const context = useFieldContext()
  const [bar, setBar] = useBar(dashboardPath(name), fields, context)
  const tiles = useMemo(() => placed(dashboard.tiles, columns), [dashboard.tiles, columns])
  const [day] = useState(() => new Date().toLocaleDateString(context.locale))
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)
  const [naming, setNaming] = useState<'rename' | 'copy'>()
  const editPath = dashboardPath(name, 'edit', search)
  const share = (): void => void copyLink(dashboardPath(name, undefined, search))
  useCommands([
    {
      id: 'dashboard.edit',
      label: t('dashboards.edit.command'),
      group: 'general',
      enabled: mayDesign,
      run: () => navigate(editPath),
    },
    { id: 'dashboard.link', label: t('word.copyLink'), group: 'general', run: share },
    { id: 'dashboard.print', label: t('dashboards.print.command'), group: 'general', run: () => window.print() },
  ])
  return (
    <Page
      title={label}
      width="full"
      actions={
        <>
          <Button variant="subtle" leftSection={<IconLink size={16} aria-hidden />} onClick={share}>
            {t('word.copyLink')}
          </Button>
          <Button variant="subtle" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
            {t('dashboards.print')}
          </Button>
          {mayDesign && (
            <>
              <Button component="a" href={`#${editPath}`} leftSection={<IconPencil size={16} aria-hidden />}>
                {t('word.edit')}
              </Button>
              <Menu position="bottom-end" {...options}>
                <Menu.Target>
                  <ActionIcon
                    ref={button}
                    variant="subtle"
                    color="gray"
                    size={32}
                    aria-label={t('word.moreOf', { label })}
                  >
                    <IconDots size={18} aria-hidden />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<IconCursorText size={14} aria-hidden />}
                    onClick={after(() => setNaming('rename'))}
                  >
                    {t('word.renameDots')}
                  </Menu.Item>
                  <Menu.Item leftSection={<IconCopy size={14} aria-hidden />} onClick={after(() => setNaming('copy'))}>
                    {t('dashboards.duplicate')}
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<IconTrash size={14} aria-hidden />}
                    c="var(--cairn-bad)"
                    onClick={after(() => void removeAndTell(dashboard, () => navigate(dashboardsPath)))}
                  >
                    {t('word.delete')}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </>
          )}
        </>
      }
    >
      {[...objectsOfTiles(dashboard.tiles)].map(([object]) => (
        <LiveObject key={object} object={object} tiles={dashboard.tiles.length} />
      ))}
      {tiles.length === 0 ? (
        <EmptyState
          title={t('dashboards.empty')}
          icon={<IconChartBar size={32} stroke={1.5} aria-hidden />}
          actions={
            mayDesign && (
              <Button component="a" href={`#${editPath}`} variant="default">
                {t('dashboards.empty.add')}
              </Button>
            )
          }
        >
          {t('dashboards.empty.text')}
        </EmptyState>
      ) : (
        <>
          <FilterBar bar={bar} fields={fields} context={context} onChange={setBar} />
          <DashboardGrid tiles={tiles} columns={columns} label={t('word.tiles')}>
            {(tile) => <TileView tile={tile} bar={bar} />}
          </DashboardGrid>
        </>
      )}
      <p className={classes.printed}>{t('dashboards.printed', { day })}</p>
      <NameDialog dashboard={dashboard} naming={naming} onClose={() => setNaming(undefined)} />
    </Page>
  )
}
