// Owns the tree of providers and which screen an address shows. Screens are loaded when they are first shown.
import { MantineProvider, Button, DirectionProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useRef } from 'react'
import type { ComponentProps } from 'react'
import { Route, Router, Switch, useLocation } from 'wouter'
import { Delayed } from '../components/delayed.tsx'
import { HomeScreen } from '../features/home/index.ts'
import { useHashPath, useHashSearch } from '../lib/hash-location.ts'
import { useHostStatus } from '../lib/host-status.ts'
import { direction } from '../lib/language.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { t } from '../lib/strings.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { OrganizationGate } from './organization-gate.tsx'
import { useRecentPlaces } from './open-place.ts'
import { focusPageHeading } from './regions.ts'
import { SessionGate } from './session-gate.tsx'
import { Shell } from './shell.tsx'
import { colorSchemeManager, cssVariablesResolver, theme } from './theme.ts'
import { useAppCommands } from './use-app-commands.ts'
import { useShellWindow } from './use-shell-window.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { Page } from '../components/page.tsx'

const Overlays = lazyPart(async () => ({ default: (await import('./overlays.tsx')).Overlays }))
const ObjectListScreen = lazyPart(async () => ({
  default: (await import('../features/objects/object-list-screen.tsx')).ObjectListScreen,
}))
const BlankObjectScreen = lazyPart(async () => ({
  default: (await import('../features/objects/blank-object-screen.tsx')).BlankObjectScreen,
}))
const ObjectEditorScreen = lazyPart(async () => ({
  default: (await import('../features/objects/object-editor-screen.tsx')).ObjectEditorScreen,
}))
const RecordsScreen = lazyPart(async () => ({
  default: (await import('../features/records/records-screen.tsx')).RecordsScreen,
}))
const ViewKind = lazyPart(async () => ({
  default: (await import('../features/views/view-kind.tsx')).ViewKind,
}))
const FormScreen = lazyPart(async () => ({
  default: (await import('../features/views/form-screen.tsx')).FormScreen,
}))
const RecordPeek = lazyPart(async () => ({
  default: (await import('../features/record/record-peek.tsx')).RecordPeek,
}))
const RecordScreen = lazyPart(async () => ({
  default: (await import('../features/record/record-screen.tsx')).RecordScreen,
}))
const NotificationsScreen = lazyPart(async () => ({
  default: (await import('../features/notifications/notifications-screen.tsx')).NotificationsScreen,
}))
const NewTableScreen = lazyPart(async () => ({
  default: (await import('../features/import/new-table-screen.tsx')).NewTableScreen,
}))
const ImportScreen = lazyPart(async () => ({
  default: (await import('../features/import/import-screen.tsx')).ImportScreen,
}))
const JobsScreen = lazyPart(async () => ({
  default: (await import('../features/import/jobs-screen.tsx')).JobsScreen,
}))
const JobScreen = lazyPart(async () => ({
  default: (await import('../features/import/job-screen.tsx')).JobScreen,
}))
const AccountScreen = lazyPart(async () => ({
  default: (await import('../features/account/account-screen.tsx')).AccountScreen,
}))
const DeviceScreen = lazyPart(async () => ({
  default: (await import('../features/account/device-screen.tsx')).DeviceScreen,
}))
const InvitationScreen = lazyPart(async () => ({
  default: (await import('../features/account/invitation-screen.tsx')).InvitationScreen,
}))
const PeopleScreen = lazyPart(async () => ({
  default: (await import('../features/access/people-screen.tsx')).PeopleScreen,
}))
const PersonScreen = lazyPart(async () => ({
  default: (await import('../features/access/person-screen.tsx')).PersonScreen,
}))
const RightsScreen = lazyPart(async () => ({
  default: (await import('../features/access/rights-screen.tsx')).RightsScreen,
}))
const RightScreen = lazyPart(async () => ({
  default: (await import('../features/access/right-screen.tsx')).RightScreen,
}))
const CheckScreen = lazyPart(async () => ({
  default: (await import('../features/access/check-screen.tsx')).CheckScreen,
}))
const OrganizationsScreen = lazyPart(async () => ({
  default: (await import('../features/organizations/organizations-screen.tsx')).OrganizationsScreen,
}))
const OrganizationScreen = lazyPart(async () => ({
  default: (await import('../features/organizations/organization-screen.tsx')).OrganizationScreen,
}))
const ClientsScreen = lazyPart(async () => ({
  default: (await import('../features/access/clients-screen.tsx')).ClientsScreen,
}))
const AuditScreen = lazyPart(async () => ({
  default: (await import('../features/audit/audit-screen.tsx')).AuditScreen,
}))
const SyncScreen = lazyPart(async () => ({
  default: (await import('../features/sync/sync-screen.tsx')).SyncScreen,
}))
const ConflictsScreen = lazyPart(async () => ({
  default: (await import('../features/conflicts/conflicts-screen.tsx')).ConflictsScreen,
}))
const WebhooksScreen = lazyPart(async () => ({
  default: (await import('../features/webhooks/webhooks-screen.tsx')).WebhooksScreen,
}))
const ApprovalsScreen = lazyPart(async () => ({
  default: (await import('../features/workflow/approvals-screen.tsx')).ApprovalsScreen,
}))
const AutomationScreen = lazyPart(async () => ({
  default: (await import('../features/automation/automation-screen.tsx')).AutomationScreen,
}))
const FlowScreen = lazyPart(async () => ({
  default: (await import('../features/automation/flow-screen.tsx')).FlowScreen,
}))
const PackagesScreen = lazyPart(async () => ({
  default: (await import('../features/packages/packages-screen.tsx')).PackagesScreen,
}))
const FilesScreen = lazyPart(async () => ({
  default: (await import('../features/files/files-screen.tsx')).FilesScreen,
}))
const ApiScreen = lazyPart(async () => ({
  default: (await import('../features/api/api-screen.tsx')).ApiScreen,
}))
const AssistantScreen = lazyPart(async () => ({
  default: (await import('../features/assistant/assistant-screen.tsx')).AssistantScreen,
}))
const DashboardListScreen = lazyPart(async () => ({
  default: (await import('../features/dashboards/dashboard-list-screen.tsx')).DashboardListScreen,
}))
const DashboardScreen = lazyPart(async () => ({
  default: (await import('../features/dashboards/dashboard-screen.tsx')).DashboardScreen,
}))
const TrashScreen = lazyPart(async () => ({
  default: (await import('../features/trash/trash-screen.tsx')).TrashScreen,
}))
const BackupsScreen = lazyPart(async () => ({
  default: (await import('../features/backups/backups-screen.tsx')).BackupsScreen,
}))
const SettingsScreen = lazyPart(async () => ({
  default: (await import('../features/settings/settings-screen.tsx')).SettingsScreen,
}))
const SearchScreen = lazyPart(async () => ({
  default: (await import('../features/search/search-screen.tsx')).SearchScreen,
}))
const JoinScreen = lazyPart(async () => ({
  default: (await import('../features/sync/join-screen.tsx')).JoinScreen,
}))

/** The application. `code` is the one-time code of the link it was opened with. */
export function App(props: { queryClient: QueryClient; code: string | undefined }) {
  return (
    <DirectionProvider initialDirection={direction} detectDirection={false}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
        // All variables are made here: a sheet of the usual ones beside it would say most of them twice.
        deduplicateCssVariables={false}
      >
        <QueryClientProvider client={props.queryClient}>
          <Router hook={useHashPath} searchHook={useHashSearch}>
            <SessionGate code={props.code}>
              <Frame />
            </SessionGate>
            {/* Not at the corner: the buttons of a form and of the designer are there. */}
            <Notifications position="bottom-center" limit={4} />
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  )
}

function Frame() {
  useAppCommands()
  useShortcuts()
  useShellWindow()
  useRecentPlaces()
  const [location] = useLocation()
  useFocusAfterNavigation(location)
  return (
    <>
      <Shell>
        <ErrorBoundary resetKey={location}>
          <Suspense fallback={<Waiting />}>
            <OrganizationGate>
              <Switch>
                <Route path="/">{() => <HomeScreen />}</Route>
                <Route path="/new">{() => <NewTableScreen />}</Route>
                <Route path="/new/blank">{() => <BlankObjectScreen />}</Route>
                <Route path="/objects">{() => <ObjectListScreen />}</Route>
                <Route path="/objects/:name">{({ name }) => <ObjectEditorScreen key={name} name={name} />}</Route>
                <Route path="/o/:name">
                  {({ name }) => <RecordsScreen key={name} name={name} peek={showPeek} kind={showKind} />}
                </Route>
                <Route path="/o/:name/record/:id">
                  {({ name, id }) => <RecordScreen key={name} name={name} id={id} />}
                </Route>
                <Route path="/o/:name/form/:view">
                  {({ name, view }) => <FormScreen key={view} name={name} view={view} />}
                </Route>
                <Route path="/o/:name/import">{({ name }) => <ImportScreen key={name} name={name} />}</Route>
                <Route path="/imports">{() => <JobsScreen />}</Route>
                <Route path="/imports/:jobId">{({ jobId }) => <JobScreen key={jobId} jobId={jobId} />}</Route>
                <Route path="/notifications/:part?">{({ part }) => <NotificationsScreen part={part} />}</Route>
                <Route path="/account/:part?">{({ part }) => <AccountScreen part={part} />}</Route>
                <Route path="/device">{() => <DeviceScreen />}</Route>
                <Route path="/invitations/:id">{({ id }) => <InvitationScreen key={id} id={id} />}</Route>
                <Route path="/organizations">{() => <OrganizationsScreen />}</Route>
                <Route path="/organizations/:id/:part?">
                  {({ id, part }) => <OrganizationScreen key={id} id={id} part={part} />}
                </Route>
                <Route path="/access">{() => <PeopleScreen />}</Route>
                <Route path="/access/people/:id">{({ id }) => <PersonScreen key={id} id={id} />}</Route>
                <Route path="/access/rights">{() => <RightsScreen />}</Route>
                <Route path="/access/rights/:type/:name">
                  {({ type, name }) => <RightScreen key={`${type} ${name}`} type={type} name={name} />}
                </Route>
                <Route path="/access/check">{() => <CheckScreen />}</Route>
                <Route path="/access/clients">{() => <ClientsScreen />}</Route>
                <Route path="/access/audit">{() => <AuditScreen />}</Route>
                <Route path="/sync/join">{() => <JoinScreen />}</Route>
                <Route path="/sync/conflicts">{() => <ConflictsScreen />}</Route>
                <Route path="/sync/:part?">{({ part }) => <SyncScreen part={part} />}</Route>
                <Route path="/automation/flow/:name/runs/:id">
                  {({ name, id }) => <FlowScreen key={name} name={name} part="runs" id={id} />}
                </Route>
                <Route path="/automation/flow/:name/:part?">
                  {({ name, part }) => <FlowScreen key={name} name={name} part={part} id={undefined} />}
                </Route>
                <Route path="/automation/:part?">{({ part }) => <AutomationScreen part={part} />}</Route>
                <Route path="/approvals/:part?/:id?">{({ part, id }) => <ApprovalsScreen part={part} id={id} />}</Route>
                <Route path="/files">{() => <FilesScreen />}</Route>
                <Route path="/packages/:part?/:id?">{({ part, id }) => <PackagesScreen part={part} id={id} />}</Route>
                <Route path="/assistant/:part?">{({ part }) => <AssistantScreen part={part} />}</Route>
                <Route path="/api/:part?/:object?">
                  {({ part, object }) => <ApiScreen part={part} object={object} />}
                </Route>
                <Route path="/webhooks/:part?/:name?">
                  {({ part, name }) => <WebhooksScreen part={part} name={name} />}
                </Route>
                <Route path="/dashboards">{() => <DashboardListScreen />}</Route>
                <Route path="/dashboards/:name/:part?">
                  {({ name, part }) => <DashboardScreen key={name} name={name} part={part} />}
                </Route>
                <Route path="/trash/:object?">{({ object }) => <TrashScreen object={object} />}</Route>
                <Route path="/backups">{() => <BackupsScreen />}</Route>
                <Route path="/settings/:part?">{({ part }) => <SettingsScreen part={part} />}</Route>
                <Route path="/search">{() => <SearchScreen />}</Route>
                <Route>{() => <NotFoundScreen />}</Route>
              </Switch>
            </OrganizationGate>
          </Suspense>
        </ErrorBoundary>
      </Shell>
      <Suspense fallback={null}>
        <Overlays />
      </Suspense>
    </>
  )
}

function showPeek(props: ComponentProps<typeof RecordPeek>) {
  return (
    <Suspense fallback={null}>
      <RecordPeek {...props} />
    </Suspense>
  )
}

function showKind(props: ComponentProps<typeof ViewKind>) {
  return (
    <Suspense fallback={null}>
      <ViewKind {...props} />
    </Suspense>
  )
}

// The screen that had the focus is gone after navigation: its heading takes it, so a reader says where one is.
function useFocusAfterNavigation(location: string): void {
  const first = useRef(true)
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    const timer = setTimeout(focusPageHeading, 50)
    return () => clearTimeout(timer)
  }, [location])
}

/** A screen on its way, or why it does not come: the page is loaded anew once the host answers. */
function Waiting() {
  if (useHostStatus() === 'down') {
    return (
      <Page title={t('offline.title')} lead={t('offline.lead')} width="narrow">
        <p>{t('offline.next')}</p>
      </Page>
    )
  }
  return (
    <Delayed>
      <p role="status" style={{ padding: 24, color: 'var(--cairn-text-quiet)' }}>
        {t('word.loading')}
      </p>
    </Delayed>
  )
}

/** Says so and offers the way home. */
function NotFoundScreen() {
  return (
    <Page title={t('notFound.title')} lead={t('notFound.lead')} width="narrow">
      <Button component="a" href="#/" mt="md" variant="default">
        {t('word.goHome')}
      </Button>
    </Page>
  )
}
