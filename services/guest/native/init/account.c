// Chooses the account that the guest and every process run as. Nothing starts when the requested account cannot be
// used: running as root instead would be the opposite of the request.
#define _GNU_SOURCE
#include "init.h"
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_GROUPS 256

struct account workload;

static bool is_on(const char *value) { return value && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0); }

// Value of the variable named by the word after the colon of SANDBOX_BRAND in capitals, then `_` and `name`.
static const char *branded(const char *name) {
  const char *brand = getenv("SANDBOX_BRAND");
  const char *colon = brand ? strchr(brand, ':') : NULL;
  const char *word = colon && colon[1] ? colon + 1 : "service";
  char variable[128];
  snprintf(variable, sizeof variable, "%s_%s", word, name);
  for (char *at = variable; *at; at++) *at = (char)toupper((unsigned char)*at);
  return getenv(variable);
}

static bool is_number(const char *text, unsigned long *number) {
  if (!*text || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  *number = strtoul(text, NULL, 10);
  return errno == 0 && *number < UINT32_MAX;
}

static void find_user(const char *asked, const char *user) {
  unsigned long number = 0;
  bool numeric = is_number(user, &number);
  struct passwd *entry = getpwnam(user);
  if (!entry && numeric) entry = getpwuid((uid_t)number);
  if (!entry && !numeric)
    fail(EXIT_SETTING, "There is no account \"%s\" in /etc/passwd. Name one that the image has, or give its number.", asked);
  // A number without an entry gets the group of the same number, never root's.
  workload.uid = entry ? entry->pw_uid : (uid_t)number;
  workload.gid = entry ? entry->pw_gid : (gid_t)number;
  snprintf(workload.name, sizeof workload.name, "%s", entry ? entry->pw_name : user);
  snprintf(workload.home, sizeof workload.home, "%s", entry && entry->pw_dir[0] ? entry->pw_dir : "/");
}

static void find_group(const char *asked, const char *group) {
  unsigned long number = 0;
  struct group *entry = getgrnam(group);
  if (entry) workload.gid = entry->gr_gid;
  else if (is_number(group, &number)) workload.gid = (gid_t)number;
  else fail(EXIT_SETTING, "There is no group \"%s\" in /etc/group, asked for by \"%s\". Name one that the image has, or give its number.", group, asked);
}

static void take_groups(bool group_named) {
  gid_t groups[MOST_GROUPS];
  int count = MOST_GROUPS;
  if (group_named || getgrouplist(workload.name, workload.gid, groups, &count) < 0) {
    groups[0] = workload.gid;
    count = 1;
  }
  if (setgroups((size_t)count, groups) != 0)
    fail(EXIT_SETTING, "The groups of account \"%s\" cannot be taken: %m. The container needs the capability SETGID.", workload.name);
}

void choose_account(const char *option) {
  const char *asked = option;
  if (!asked && is_on(branded("SANDBOX_USER_ENABLED"))) {
    asked = branded("SANDBOX_USER");
    if (!asked) asked = "";
  }
  unsetenv("SANDBOX_WORKLOAD_USER");
  if (!asked) return;

  char user[128];
  snprintf(user, sizeof user, "%s", asked);
  char *group = strchr(user, ':');
  if (group) *group++ = '\0';
  if (!*user) fail(EXIT_SETTING, "A workload user is asked for, but none is named. Name it, or switch it off.");
  find_user(asked, user);
  if (group && *group) find_group(asked, group);
  if (workload.uid == 0) fail(EXIT_SETTING, "\"%s\" is root, which a workload user must not be. Name another account.", asked);

  workload.may_switch = geteuid() == 0;
  if (!workload.may_switch && workload.uid != getuid())
    fail(EXIT_SETTING, "\"%s\" is another account than the container's own, and only root may change it. Run the container as root.", asked);
  if (workload.may_switch) take_groups(group && *group);
  workload.chosen = true;
  setenv("HOME", workload.home, 1);
  setenv("USER", workload.name, 1);
  setenv("LOGNAME", workload.name, 1);
  setenv("SANDBOX_WORKLOAD_USER", workload.name, 1);
}

void act_as_account(void) {
  if (!workload.may_switch) return;
  if (setegid(workload.gid) != 0 || seteuid(workload.uid) != 0)
    fail(EXIT_SETTING, "Account \"%s\" cannot be taken on: %m. The container needs the capabilities SETUID and SETGID.", workload.name);
}

void act_as_root(void) {
  if (!workload.may_switch) return;
  if (seteuid(0) != 0 || setegid(0) != 0) fail(EXIT_SETTING, "Root cannot be taken on again: %m.");
}

bool become_account(void) {
  if (!workload.may_switch) return true;
  return setresgid(workload.gid, workload.gid, workload.gid) == 0 && setresuid(workload.uid, workload.uid, workload.uid) == 0;
}
