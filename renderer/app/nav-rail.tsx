// Owns the navigation: home, the objects, where they are defined, and who may do what. Folded it shows signs with tooltips.
import { Tooltip } from '@mantine/core'
import {
  IconArchive,
  IconArrowsJoin2,
  IconBuilding,
  IconChartBar,
  IconChecklist,
  IconCode,
  IconDevices,
  IconFiles,
  IconHome,
  IconLayoutDashboard,
  IconPackages,
  IconPlus,
  IconRoute,
  IconSparkles,
  IconSettings,
  IconTable,
  IconTools,
  IconTrash,
  IconUser,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import type { TablerIcon } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { dashboardPath, dashboardsPath, dashboardsQuery } from '../features/dashboards/index.ts'
import { objectPluralLabel, useObjects } from '../features/objects/index.ts'
import { useAuthFeature } from '../lib/auth-config.ts'
import { useConflictCount } from '../lib/conflict-count.ts'
import { discoveryQuery } from '../lib/discovery.ts'
import { useOpenApprovals } from '../lib/open-approvals.ts'
import { useMay } from '../lib/own-rights.ts'
import { usePreview } from '../lib/preview.ts'
import { t } from '../lib/strings.ts'
import classes from './nav-rail.module.css'

/** The content of the navigation landmark. */
export function NavRail(props: { wide: boolean; onNavigate: () => void }) {
  const { data: all } = useObjects()
  const preview = usePreview()
  const objects = preview ? all?.filter(({ name }) => preview.readable.has(name)) : all
  const hasOrganizations = useAuthFeature('organization')
  const { data: manifest } = useQuery(discoveryQuery)
  const hasDashboards = manifest?.routes.analytics != null
  const { data: dashboards } = useQuery({ ...dashboardsQuery, enabled: hasDashboards })
  const conflicts = useConflictCount()
  const approvals = useOpenApprovals()
  const mayMake = useMay('manage_metadata') !== false
  const mayDesign = useMay('manage_flows') === true
  const mayStart = useMay('run_flows') === true
  const mayRestore = useMay('restore_backups') === true
  const hasAutomation = (mayDesign || mayStart) && manifest?.routes.automation != null
  const mayWebhooks = useMay('manage_webhooks') === true && manifest?.routes.webhooks != null
  const hasPackages = useMay('manage_packages') === true && manifest?.routes.packages != null
  const entry = { wide: props.wide, onNavigate: props.onNavigate }
  return (
    <div className={classes.rail}>
      <ul className={classes.list}>
        <Entry {...entry} to="/" label={t('word.home')} icon={IconHome} />
        {mayMake && <Entry {...entry} to="/new" label={t('word.newObject')} icon={IconPlus} />}
        {manifest?.routes.ai != null && (
          <Entry {...entry} to="/assistant" label={t('word.assistant')} icon={IconSparkles} />
        )}
        {approvals !== undefined && (
          <Entry {...entry} to="/approvals" label={t('word.approvals')} icon={IconChecklist} open={approvals} />
        )}
      </ul>
      <h2 className={props.wide ? classes.heading : 'cairn-hidden'}>{t('word.objects')}</h2>
      <ul className={classes.list}>
        {objects?.map((object) => (
          <Entry
            key={object.name}
            {...entry}
            to={`/o/${object.name}`}
            label={objectPluralLabel(object)}
            icon={IconTable}
          />
        ))}
        <Entry {...entry} to="/objects" label={t('nav.allObjects')} icon={IconTools} />
      </ul>
      {hasDashboards && (
        <>
          <h2 className={props.wide ? classes.heading : 'cairn-hidden'}>{t('word.dashboards')}</h2>
          <ul className={classes.list}>
            {dashboards?.map(({ name, label }) => (
              <Entry key={name} {...entry} to={dashboardPath(name)} label={label} icon={IconChartBar} />
            ))}
            <Entry {...entry} to={dashboardsPath} alone label={t('word.allDashboards')} icon={IconLayoutDashboard} />
          </ul>
        </>
      )}
      <h2 className={props.wide ? classes.heading : 'cairn-hidden'}>{t('nav.workspace')}</h2>
      <ul className={classes.list}>
        {hasOrganizations && (
          <Entry {...entry} to="/organizations" label={t('nav.organizations')} icon={IconBuilding} />
        )}
        <Entry {...entry} to="/access" label={t('word.access')} icon={IconUsers} />
        {hasAutomation && <Entry {...entry} to="/automation" label={t('word.automations')} icon={IconRoute} />}
        {manifest?.routes.storage != null && <Entry {...entry} to="/files" label={t('word.files')} icon={IconFiles} />}
        {hasPackages && <Entry {...entry} to="/packages" label={t('word.packages')} icon={IconPackages} />}
        {mayWebhooks && <Entry {...entry} to="/webhooks" label={t('word.webhooks')} icon={IconWebhook} />}
        <Entry {...entry} to="/api" label={t('word.api')} icon={IconCode} />
        {manifest?.routes.sync != null && (
          <Entry {...entry} to="/sync" except="/sync/conflicts" label={t('nav.sync')} icon={IconDevices} />
        )}
        {conflicts !== undefined && (
          <Entry {...entry} to="/sync/conflicts" label={t('word.conflicts')} icon={IconArrowsJoin2} open={conflicts} />
        )}
        <Entry {...entry} to="/trash" label={t('word.trash')} icon={IconTrash} />
        {mayRestore && <Entry {...entry} to="/backups" label={t('word.backups')} icon={IconArchive} />}
        <Entry {...entry} to="/settings" label={t('word.settings')} icon={IconSettings} />
        <Entry {...entry} to="/account" label={t('word.yourAccount')} icon={IconUser} />
      </ul>
    </div>
  )
}

function Entry(props: {
  to: string
  /** A place below that has an entry of its own. */
  except?: string
  /** Whether the places below have entries of their own. */
  alone?: boolean
  label: string
  icon: TablerIcon
  /** How many things wait there. */
  open?: number
  wide: boolean
  onNavigate: () => void
}) {
  const { open = 0 } = props
  const [location] = useLocation()
  const isBelow =
    props.alone !== true && props.to !== '/' && location.startsWith(`${props.to}/`) && location !== props.except
  const current = location === props.to || isBelow
  const waiting = open > 99 ? '99+' : String(open)
  const spoken = open > 0 ? `${props.label} ${waiting} ${t('nav.open')}` : props.label
  const Icon = props.icon
  const link = (
    <a
      href={`#${props.to}`}
      className={classes.entry}
      aria-current={current ? 'page' : undefined}
      aria-label={props.wide ? undefined : spoken}
      onClick={props.onNavigate}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      {props.wide && <span className={classes.label}>{props.label}</span>}
      {open > 0 && (
        <span className={classes.open}>
          {waiting}
          <span className="cairn-hidden"> {t('nav.open')}</span>
        </span>
      )}
    </a>
  )
  return (
    <li>
      {props.wide ? (
        link
      ) : (
        <Tooltip label={spoken} position="right">
          {link}
        </Tooltip>
      )}
    </li>
  )
}
