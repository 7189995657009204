// Owns the German words of all areas, loaded as one chunk by whoever reads German. A key that is missing is English.
import { accessGerman } from './access.ts'
import { accountGerman } from './account.ts'
import { activityGerman } from './activity.ts'
import { apiGerman } from './api-page.ts'
import { appGerman } from './app.ts'
import { assistantGerman } from './assistant.ts'
import { auditKindGerman } from './audit-kinds.ts'
import { auditGerman } from './audit.ts'
import { automationGerman } from './automation.ts'
import { backupGerman } from './backup.ts'
import { conflictGerman } from './conflicts.ts'
import { designerGerman } from './designer.ts'
import { fieldMessageGerman } from './field-messages.ts'
import { fieldTypeGerman } from './field-types.ts'
import { fileGerman } from './files.ts'
import { flowDesignGerman } from './flow-design.ts'
import { flowStepGerman } from './flow-steps.ts'
import { formSuggestionGerman } from './form-suggestions.ts'
import { gridGerman } from './grid.ts'
import { homeGerman } from './home.ts'
import { homePartGerman } from './home-parts.ts'
import { importGerman } from './import.ts'
import { liveTextGerman } from './live-text.ts'
import { notificationGerman } from './notifications.ts'
import { objectGerman } from './objects.ts'
import { organizationGerman } from './organizations.ts'
import { packageGerman } from './packages.ts'
import { problemGerman } from './problems.ts'
import { receiverGerman } from './receivers.ts'
import { recordPageGerman } from './record-page.ts'
import { recordGerman } from './records.ts'
import { searchGerman } from './search.ts'
import { settingGerman } from './settings.ts'
import { sharingGerman } from './sharing.ts'
import { signInGerman } from './sign-in.ts'
import { syncGerman } from './sync.ts'
import { syncAsideGerman } from './sync-aside.ts'
import { syncDeviceGerman } from './sync-devices.ts'
import { trashGerman } from './trash.ts'
import { viewKindGerman, viewGerman } from './views.ts'
import { webhookGerman } from './webhooks.ts'
import { dashboardGerman } from './dashboards.ts'
import { designerPartGerman } from './designer-parts.ts'
import { filePlaceGerman } from './file-places.ts'
import { recordHistoryGerman } from './record-history.ts'
import { recordLinkGerman } from './record-links.ts'
import { sharedGerman } from './words.ts'
import { workflowGerman } from './workflow.ts'

/** German words by key. */
export const german: Readonly<Record<string, string>> = {
  ...accessGerman,
  ...accountGerman,
  ...activityGerman,
  ...apiGerman,
  ...appGerman,
  ...assistantGerman,
  ...auditKindGerman,
  ...auditGerman,
  ...automationGerman,
  ...backupGerman,
  ...conflictGerman,
  ...designerGerman,
  ...fieldMessageGerman,
  ...fieldTypeGerman,
  ...fileGerman,
  ...flowDesignGerman,
  ...flowStepGerman,
  ...formSuggestionGerman,
  ...gridGerman,
  ...homeGerman,
  ...homePartGerman,
  ...importGerman,
  ...liveTextGerman,
  ...notificationGerman,
  ...objectGerman,
  ...organizationGerman,
  ...packageGerman,
  ...problemGerman,
  ...receiverGerman,
  ...recordPageGerman,
  ...recordGerman,
  ...searchGerman,
  ...settingGerman,
  ...sharingGerman,
  ...signInGerman,
  ...syncGerman,
  ...syncAsideGerman,
  ...syncDeviceGerman,
  ...trashGerman,
  ...viewKindGerman,
  ...viewGerman,
  ...webhookGerman,
  ...dashboardGerman,
  ...designerPartGerman,
  ...filePlaceGerman,
  ...recordHistoryGerman,
  ...recordLinkGerman,
  ...sharedGerman,
  ...workflowGerman,
}
