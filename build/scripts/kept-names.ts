// Names that stay declared although nothing here acts on them, each with its reason. The check of readers refuses an
// entry that is not needed any more, so the list only gets shorter as capabilities arrive.

const jobs = 'Jobs are not built: stored for the capability that will run them.'
const assistants = 'Assistants are not built: stored for the capability that will run them.'
const screen = 'Presentation: stored and handed to clients, which draw it; the console does not.'
const library = 'The library of accounts reads it: the group is handed on whole (library-options.ts).'
const protocol = 'The library of accounts raises it: found in the table by its code (library-errors.ts).'

/** Reasons by kind and path; a path that ends in `.*` stands for all below it. */
export const keptNames: Readonly<Record<string, string>> = {
  'setting auth.plugins.passkeys': 'D-26: accepted and without effect.',
  'setting auth.oidcProviders.pkce': library,
  'setting auth.emailVerification.*': library,
  'metadata key object.titleFormat': screen,
  'metadata key object.compactLayout': screen,
  'metadata key object.keyPrefix': screen,
  'metadata key field.visibleOn': screen,
  'metadata key field.fileAttachmentConfig.*': 'Read in the file that declares it: shared/field-types/file.ts.',
  'metadata key field.vectorConfig.distanceMetric': 'One value is allowed, and no search by distance is built.',
  'metadata key view.config.columns.wrap': screen,
  'metadata key view.config.pagination': screen,
  'metadata key view.config.inlineEdit': screen,
  'metadata key view.config.conditionalFormatting': screen,
  'metadata key view.config.sections.collapsible': screen,
  'metadata key view.config.sections.visibleOn': screen,
  'metadata key view.config.sections.fields.visibleOn': screen,
  'metadata key page.layout.visibleOn': screen,
  'metadata key page.layout.components.visibleOn': screen,
  'metadata key app.homePage': screen,
  'metadata key report.columns.wrap': screen,
  'metadata key action.locations': screen,
  'metadata key action.visibleOn': screen,
  'metadata key permission.tabPermissions': screen,
  'metadata key profile.tabPermissions': screen,
  'metadata key job.*': jobs,
  'metadata key datasource.driver': 'Only the database of the workspace is connected (D-112).',
  'metadata key agent.*': assistants,
  'metadata key skill.*': assistants,
  'metadata key tool.*': assistants,
  'error authorization_pending': protocol,
  'error expired_token': protocol,
  'error access_denied': protocol,
  'error invalid_client': protocol,
  'error invalid_grant': protocol,
  'error unauthorized_client': protocol,
  'error invalid_scope': protocol,
}
