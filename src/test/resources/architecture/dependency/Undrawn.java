package fleet.tower.surprise;

class Undrawn {}
