// Owns the commands that exist on every screen.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAuthFeature } from '../lib/auth-config.ts'
import { useCommands } from '../lib/commands.ts'
import { useConflictCount } from '../lib/conflict-count.ts'
import { discoveryQuery } from '../lib/discovery.ts'
import { navigate } from '../lib/hash-location.ts'
import { useMay } from '../lib/own-rights.ts'
import { t } from '../lib/strings.ts'
import { togglePin } from '../lib/recents.ts'
import { placeWithLabel, useOpenPlace } from './open-place.ts'
import { moveToRegion } from './regions.ts'
import { redoAndTell, undoAndTell } from '../lib/undo-told.ts'
import { useKeptUndo } from './undo-commands.ts'
import { setPaletteOpen, setRailOpen, setShortcutsOpen, setUndoListOpen, useUi } from './ui-state.ts'

/** Adds them to the registry. */
export function useAppCommands(): void {
  useKeptUndo()
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const hasOrganizations = useAuthFeature('organization')
  const railOpen = useUi((state) => state.railOpen)
  const { data: manifest } = useQuery(discoveryQuery)
  const conflicts = useConflictCount()
  const mayDesign = useMay('manage_flows') === true
  const mayStart = useMay('run_flows') === true
  const mayWebhooks = useMay('manage_webhooks') === true
  const mayPackages = useMay('manage_packages') === true
  const mayRestore = useMay('restore_backups') === true
  const place = useOpenPlace()
  const hasInbox = manifest?.routes.notifications != null
  useCommands([
    {
      id: 'app.palette',
      label: t('command.palette'),
      group: 'general',
      shortcut: 'Mod+K',
      inTextFields: true,
      shortcutOnly: true,
      run: () => setPaletteOpen(true),
    },
    {
      id: 'app.shortcuts',
      label: t('command.shortcuts'),
      group: 'general',
      shortcut: '?',
      keywords: 'help keys',
      run: () => setShortcutsOpen(true),
    },
    {
      id: 'app.nextRegion',
      label: t('command.nextRegion'),
      group: 'general',
      shortcut: 'F6',
      inTextFields: true,
      shortcutOnly: true,
      run: () => moveToRegion(1),
    },
    {
      id: 'app.previousRegion',
      label: t('command.previousRegion'),
      group: 'general',
      shortcut: 'Shift+F6',
      inTextFields: true,
      shortcutOnly: true,
      run: () => moveToRegion(-1),
    },
    { id: 'app.undo', label: t('command.undo'), group: 'general', shortcut: 'Mod+Z', run: () => void undoAndTell() },
    {
      id: 'app.redo',
      label: t('command.redo'),
      group: 'general',
      shortcut: 'Mod+Shift+Z',
      run: () => void redoAndTell(),
    },
    {
      id: 'app.undoList',
      label: t('undoList.title'),
      group: 'general',
      shortcut: 'G Z',
      keywords: 'history steps redo back',
      run: () => setUndoListOpen(true),
    },
    {
      id: 'app.theme',
      label: t('command.theme'),
      group: 'general',
      keywords: 'colour color mode scheme',
      run: () => setColorScheme(scheme === 'dark' ? 'light' : 'dark'),
    },
    {
      id: 'app.themeAuto',
      label: t('app.theme.auto'),
      group: 'general',
      keywords: 'colour color mode scheme',
      run: () => setColorScheme('auto'),
    },
    {
      id: 'app.rail',
      label: t('command.rail'),
      group: 'general',
      keywords: 'sidebar menu',
      run: () => setRailOpen(!railOpen),
    },
    {
      id: 'go.home',
      label: t('word.goHome'),
      group: 'navigation',
      shortcut: 'G H',
      run: () => navigate('/'),
    },
    {
      id: 'go.objects',
      label: t('command.objects'),
      group: 'navigation',
      shortcut: 'G O',
      run: () => navigate('/objects'),
    },
    {
      id: 'go.newTable',
      label: t('command.newTable'),
      group: 'navigation',
      shortcut: 'G N',
      keywords: 'new import csv paste object',
      run: () => navigate('/new'),
    },
    {
      id: 'go.imports',
      label: t('command.imports'),
      group: 'navigation',
      shortcut: 'G I',
      keywords: 'undo import history file csv xlsx',
      run: () => navigate('/imports'),
    },
    {
      id: 'go.access',
      label: t('command.access'),
      group: 'navigation',
      shortcut: 'G P',
      keywords: 'users roles permissions rights audit log accounts',
      run: () => navigate('/access'),
    },
    {
      id: 'go.notifications',
      label: t('command.notifications'),
      group: 'navigation',
      shortcut: 'G M',
      keywords: 'bell inbox unread messages preferences digest',
      enabled: hasInbox,
      run: () => navigate('/notifications'),
    },
    {
      id: 'go.organizations',
      label: t('command.organizations'),
      group: 'navigation',
      shortcut: 'G W',
      keywords: 'members teams invitations workspace switch',
      enabled: hasOrganizations,
      run: () => navigate('/organizations'),
    },
    {
      id: 'go.account',
      label: t('command.account'),
      group: 'navigation',
      shortcut: 'G A',
      keywords: 'password api keys sessions two-factor profile sign out',
      run: () => navigate('/account'),
    },
    {
      id: 'go.conflicts',
      label: t('command.conflicts'),
      group: 'navigation',
      enabled: conflicts !== undefined,
      run: () => navigate('/sync/conflicts'),
    },
    {
      id: 'go.sync',
      label: t('command.sync'),
      group: 'navigation',
      shortcut: 'G S',
      keywords: 'pair device relay backup offline conflicts up to date',
      enabled: manifest?.routes.sync != null,
      run: () => navigate('/sync'),
    },
    {
      id: 'go.automation',
      label: t('command.automation'),
      group: 'navigation',
      keywords: 'flows runs schedules workflow cron',
      enabled: (mayDesign || mayStart) && manifest?.routes.automation != null,
      run: () => navigate('/automation'),
    },
    {
      id: 'go.approvals',
      label: t('command.approvals'),
      group: 'navigation',
      keywords: 'approve reject workflow inbox decide',
      enabled: manifest?.routes.approvals != null,
      run: () => navigate('/approvals'),
    },
    {
      id: 'go.webhooks',
      label: t('command.webhooks'),
      group: 'navigation',
      keywords: 'deliveries receivers integrations api',
      enabled: mayWebhooks && manifest?.routes.webhooks != null,
      run: () => navigate('/webhooks'),
    },
    {
      id: 'go.files',
      label: t('command.files'),
      group: 'navigation',
      keywords: 'attachments uploads pictures documents unused storage',
      enabled: manifest?.routes.storage != null,
      run: () => navigate('/files'),
    },
    {
      id: 'go.packages',
      label: t('command.packages'),
      group: 'navigation',
      keywords: 'applications gallery install upgrade templates crm',
      enabled: mayPackages && manifest?.routes.packages != null,
      run: () => navigate('/packages'),
    },
    {
      id: 'go.assistant',
      label: t('command.assistant'),
      group: 'navigation',
      keywords: 'ai question chat natural language',
      enabled: manifest?.routes.ai != null,
      run: () => navigate('/assistant'),
    },
    {
      id: 'go.api',
      label: t('command.api'),
      group: 'navigation',
      keywords: 'rest graphql odata openapi curl javascript python mcp assistant keys script developer',
      run: () => navigate('/api'),
    },
    {
      id: 'go.search',
      label: t('command.search'),
      group: 'navigation',
      shortcut: '/',
      keywords: 'find records results words',
      run: () => navigate('/search'),
    },
    {
      id: 'go.dashboards',
      label: t('command.dashboards'),
      group: 'navigation',
      shortcut: 'G D',
      keywords: 'charts figures reports tiles analytics',
      enabled: manifest?.features.analytics !== false,
      run: () => navigate('/dashboards'),
    },
    {
      id: 'go.trash',
      label: t('command.trash'),
      group: 'navigation',
      shortcut: 'G T',
      keywords: 'deleted restore purge bin',
      run: () => navigate('/trash'),
    },
    {
      id: 'go.backups',
      label: t('command.backups'),
      group: 'navigation',
      shortcut: 'G B',
      keywords: 'restore copy snapshot save',
      enabled: mayRestore,
      run: () => navigate('/backups'),
    },
    {
      id: 'go.settings',
      label: t('command.settings'),
      group: 'navigation',
      shortcut: 'G E',
      keywords: 'options preferences configuration',
      run: () => navigate('/settings'),
    },
    {
      id: 'go.storage',
      label: t('command.storage'),
      group: 'navigation',
      keywords: 'disk size space usage bytes',
      run: () => navigate('/settings/storage'),
    },
    {
      id: 'go.hub',
      label: t('peers.kind.hub'),
      group: 'navigation',
      keywords: 'leader standby failover replica lag',
      enabled: manifest?.features.hub === true,
      run: () => navigate('/settings/hub'),
    },
    {
      id: 'go.about',
      label: t('command.about'),
      group: 'navigation',
      keywords: 'version licence license packages data folder',
      run: () => navigate('/settings/about'),
    },
    {
      id: 'app.pin',
      label: t('command.pin'),
      group: 'general',
      keywords: 'favourite favorite star bookmark home',
      enabled: place !== undefined,
      run: () => place && togglePin(placeWithLabel(place)),
    },
    {
      id: 'go.blankObject',
      label: t('command.blankObject'),
      group: 'navigation',
      keywords: 'new table create',
      run: () => navigate('/new/blank'),
    },
  ])
}
