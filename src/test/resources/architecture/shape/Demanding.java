package fleet.tower.lock;

class Demanding {
  Demanding(int a, int b, int c, int d, int e, int f, int g) {}

  Demanding(int a, int b, int c, int d, int e, int f, int g, int h) {}

  record Wide(int a, int b, int c, int d, int e, int f, int g, int h) {
    Wide {
      assert a > b;
    }
  }

  record WideRecord(int a) {
    WideRecord(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
      this(a);
    }
  }
}
