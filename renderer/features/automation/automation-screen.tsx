// Owns the screen of automation: its flows and when they start by themselves.
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { useMay } from '../../lib/own-rights.ts'
import { automationPath, schedulesPath } from './automation-places.ts'
import { FlowList } from './flow-list.tsx'
import { ScheduleList } from './schedule-list.tsx'

/** The screen; `part` is one of its tabs. */
export function AutomationScreen(props: { part: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const mayDesign = useMay('manage_flows')
  if (manifest && manifest.routes.automation == null) {
    return (
      <Page title={t('word.automations')}>
        <EmptyState title={t('automation.absent')} />
      </Page>
    )
  }
  const tabs = mayDesign === false ? (['flows'] as const) : (['flows', 'schedules'] as const)
  const chosen = tabs.find((tab) => tab === props.part) ?? 'flows'
  return (
    <Page title={t('word.automations')} lead={t('automation.lead')}>
      <TabbedParts
        label={t('automation.parts')}
        tabs={tabs.map((key) => ({ key, label: t(`automation.part.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(key === 'schedules' ? schedulesPath : automationPath, { replace: true })}
      >
        {chosen === 'flows' ? <FlowList mayDesign={mayDesign === true} /> : <ScheduleList />}
      </TabbedParts>
    </Page>
  )
}
