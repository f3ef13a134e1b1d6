// Runs before anything is painted, so that a dark panel never flashes white. It is no module: modules wait.
(function () {
  try {
    var theme = localStorage.getItem('jouska.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch (error) {
    // A browser that keeps nothing shows what the system prefers.
  }
})();
