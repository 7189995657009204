// Owns the English words of all areas, loaded as one chunk by whoever reads English. What they are called here is what
// the program asks for: a key without English does not compile.
import { accessStrings } from './access.ts'
import { accountStrings } from './account.ts'
import { activityStrings } from './activity.ts'
import { apiStrings } from './api-page.ts'
import { appStrings } from './app.ts'
import { assistantStrings } from './assistant.ts'
import { auditKindStrings } from './audit-kinds.ts'
import { auditStrings } from './audit.ts'
import { automationStrings } from './automation.ts'
import { backupStrings } from './backup.ts'
import { conflictStrings } from './conflicts.ts'
import { dashboardStrings } from './dashboards.ts'
import { designerPartStrings } from './designer-parts.ts'
import { designerStrings } from './designer.ts'
import { fieldMessageStrings } from './field-messages.ts'
import { fieldTypeStrings } from './field-types.ts'
import { filePlaceStrings } from './file-places.ts'
import { fileStrings } from './files.ts'
import { flowDesignStrings } from './flow-design.ts'
import { flowStepStrings } from './flow-steps.ts'
import { formSuggestionStrings } from './form-suggestions.ts'
import { gridStrings } from './grid.ts'
import { homePartStrings } from './home-parts.ts'
import { homeStrings } from './home.ts'
import { importStrings } from './import.ts'
import { liveTextStrings } from './live-text.ts'
import { notificationStrings } from './notifications.ts'
import { objectStrings } from './objects.ts'
import { organizationStrings } from './organizations.ts'
import { packageStrings } from './packages.ts'
import { problemStrings } from './problems.ts'
import { receiverStrings } from './receivers.ts'
import { recordHistoryStrings } from './record-history.ts'
import { recordLinkStrings } from './record-links.ts'
import { recordPageStrings } from './record-page.ts'
import { recordStrings } from './records.ts'
import { searchStrings } from './search.ts'
import { settingStrings } from './settings.ts'
import { sharingStrings } from './sharing.ts'
import { signInStrings } from './sign-in.ts'
import { syncAsideStrings } from './sync-aside.ts'
import { syncDeviceStrings } from './sync-devices.ts'
import { syncStrings } from './sync.ts'
import { trashStrings } from './trash.ts'
import { viewStrings, viewKindStrings } from './views.ts'
import { webhookStrings } from './webhooks.ts'
import { sharedWords } from './words.ts'
import { workflowStrings } from './workflow.ts'

/** English words by key. */
export const english = {
  ...accessStrings,
  ...accountStrings,
  ...activityStrings,
  ...apiStrings,
  ...appStrings,
  ...assistantStrings,
  ...auditKindStrings,
  ...auditStrings,
  ...automationStrings,
  ...backupStrings,
  ...conflictStrings,
  ...dashboardStrings,
  ...designerPartStrings,
  ...designerStrings,
  ...fieldMessageStrings,
  ...fieldTypeStrings,
  ...filePlaceStrings,
  ...fileStrings,
  ...flowDesignStrings,
  ...flowStepStrings,
  ...formSuggestionStrings,
  ...gridStrings,
  ...homePartStrings,
  ...homeStrings,
  ...importStrings,
  ...liveTextStrings,
  ...notificationStrings,
  ...objectStrings,
  ...organizationStrings,
  ...packageStrings,
  ...problemStrings,
  ...receiverStrings,
  ...recordHistoryStrings,
  ...recordLinkStrings,
  ...recordPageStrings,
  ...recordStrings,
  ...searchStrings,
  ...settingStrings,
  ...sharingStrings,
  ...signInStrings,
  ...syncAsideStrings,
  ...syncDeviceStrings,
  ...syncStrings,
  ...trashStrings,
  ...viewStrings,
  ...viewKindStrings,
  ...webhookStrings,
  ...sharedWords,
  ...workflowStrings,
} as const
