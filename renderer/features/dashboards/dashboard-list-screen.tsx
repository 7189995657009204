// Owns the list of dashboards: what each shows, making, renaming, copying and deleting them.
import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconChartBar, IconDots, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { useMenu } from '../../components/menu-options.ts'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import type { Dashboard } from './dashboard-item.ts'
import { dashboardPath } from './dashboard-places.ts'
import { dashboardsQuery } from './dashboard-queries.ts'
import { NameDialog } from './name-dialog.tsx'
import { removeAndTell } from './remove-dashboard.ts'
import { objectsOfTiles } from './use-bar.ts'

interface Naming {
  dashboard: Dashboard | undefined
  naming: 'new' | 'rename' | 'copy'
}

/** The page. */
export function DashboardListScreen() {
  const { data: dashboards, error, refetch } = useQuery(dashboardsQuery)
  const mayDesign = useMay('manage_metadata') === true
  const [asked, setAsked] = useState<Naming>()
  const isEmpty = dashboards?.length === 0
  const make = mayDesign && (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setAsked({ dashboard: undefined, naming: 'new' })}
    >
      {t('dashboards.new')}
    </Button>
  )
  return (
    <Page title={t('word.dashboards')} lead={t('dashboards.lead')} actions={!isEmpty && make}>
      {error && !dashboards ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : !dashboards ? (
        <Loading />
      ) : isEmpty ? (
        <EmptyState
          title={t('dashboards.none')}
          icon={<IconChartBar size={32} stroke={1.5} aria-hidden />}
          actions={make}
        />
      ) : (
        <div className={parts.section}>
          <DashboardTable dashboards={dashboards} mayDesign={mayDesign} onAsk={setAsked} />
        </div>
      )}
      <NameDialog dashboard={asked?.dashboard} naming={asked?.naming} onClose={() => setAsked(undefined)} />
    </Page>
  )
}

function DashboardTable(props: {
  dashboards: readonly Dashboard[]
  mayDesign: boolean
  onAsk: (asked: Naming) => void
}) {
  const { data: objects = [] } = useObjects()
  const columns = [
    { label: t('dashboards.column.label') },
    { label: t('dashboards.column.objects'), wide: true },
    { label: t('word.tiles'), number: true },
    ...(props.mayDesign ? [{ label: t('word.whatToDo'), hidden: true }] : []),
  ]
  return (
    <ListTable label={t('word.dashboards')} columns={columns}>
      {props.dashboards.map((dashboard) => {
        const { name, label, tiles } = dashboard
        const shown = objects.filter((object) => objectsOfTiles(tiles).has(object.name))
        return (
          <tr key={name}>
            <th scope="row">
              <a href={`#${dashboardPath(name)}`} className={parts.link}>
                {label}
              </a>
            </th>
            <td data-wide>{shown.map(objectPluralLabel).join(', ')}</td>
            <td data-number>{formatNumber(tiles.length)}</td>
            {props.mayDesign && (
              <td>
                <DashboardMenu dashboard={dashboard} onAsk={props.onAsk} />
              </td>
            )}
          </tr>
        )
      })}
    </ListTable>
  )
}

function DashboardMenu({ dashboard, onAsk }: { dashboard: Dashboard; onAsk: (asked: Naming) => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)
  return (
    <Menu position="bottom-end" {...options} withinPortal>
      <Menu.Target>
        <ActionIcon
          ref={button}
          variant="subtle"
          color="gray"
          aria-label={t('word.moreOf', { label: dashboard.label })}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={after(() => onAsk({ dashboard, naming: 'rename' }))}>{t('word.renameDots')}</Menu.Item>
        <Menu.Item onClick={after(() => onAsk({ dashboard, naming: 'copy' }))}>{t('dashboards.duplicate')}</Menu.Item>
        <Menu.Item onClick={after(() => void removeAndTell(dashboard))}>{t('word.delete')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
